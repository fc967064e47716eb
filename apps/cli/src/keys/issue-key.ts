import { AppError } from '#libs/domain';
import { mintApiKey, type ApiKeyScope, type MintedApiKey } from '#libs/engine';
import { connect, createApiKey, createProject } from '#libs/event-store';

export type KeyRequest = { readonly projectId: string; readonly name: string; readonly scopes: readonly ApiKeyScope[] };

/** Who did it, in the audit log: somebody with access to the database itself. */
const actor = 'weir (command line)';

/** Makes a key (and its project, when there is none yet). The token is in the answer and nowhere else. */
export async function issueKey(databaseUrl: string, request: KeyRequest): Promise<MintedApiKey> {
  const database = connect({ url: databaseUrl, poolSize: 1, prepare: false, applicationName: 'weir keys' });
  const { projectId, name, scopes } = request;
  const minted = mintApiKey();
  try {
    await createProject(database.kysely, { projectId, name: projectId, actor });
    const { keyId, secretHash } = minted;
    const created = await createApiKey(database.kysely, { projectId, keyId, name, secretHash, scopes, actor });
    if (created === null) throw new AppError('project_gone', `The project ${projectId} was removed meanwhile.`);
    return minted;
  } finally {
    await database.close();
  }
}
