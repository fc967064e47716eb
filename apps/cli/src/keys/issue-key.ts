import { mintApiKey, type ApiKeyScope, type MintedApiKey } from '#libs/engine';
import { connect } from '#libs/event-store';

export type KeyRequest = { readonly projectId: string; readonly name: string; readonly scopes: readonly ApiKeyScope[] };

/** Makes a key (and its project, when there is none yet). The token is in the answer and nowhere else. */
export async function issueKey(databaseUrl: string, request: KeyRequest): Promise<MintedApiKey> {
  const database = connect({ url: databaseUrl, poolSize: 1, prepare: false, applicationName: 'weir keys' });
  const minted = mintApiKey();
  try {
    await database.kysely
      .insertInto('project')
      .values({ project_id: request.projectId, name: request.projectId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await database.kysely
      .insertInto('api_key')
      .values({
        project_id: request.projectId,
        key_id: minted.keyId,
        name: request.name,
        secret_hash: minted.secretHash,
        scopes: [...request.scopes],
      })
      .execute();
    return minted;
  } finally {
    await database.close();
  }
}
