import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

type Container = { readonly name: string; readonly command?: string[] };
type Pod = { readonly containers: readonly Container[]; readonly terminationGracePeriodSeconds: number };
export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: Pod } };
};

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const lastStage = (): string[] =>
  read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)
    ?.split('\n') ?? [];

/** The JSON form of an instruction's command. */
function instruction(name: string): string[] {
  const line = lastStage().find((one) => one.startsWith(`${name} `));
  const command = /\[.*\]/.exec(line ?? '');
  if (command === null) throw new Error(`The Dockerfile has no ${name} in JSON form`);
  return JSON.parse(command[0]) as string[];
}

export type PackagedCommands = {
  /** By process: migrate, api, worker, compactor. */
  readonly compose: Readonly<Record<string, readonly string[]>>;
  readonly kubernetes: Readonly<Record<string, readonly string[]>>;
  readonly image: readonly string[];
  readonly healthcheck: readonly string[];
};

/** What the files for containers would run. */
export function packagedCommands(): PackagedCommands {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { image: string; command?: string[] }>;
  };
  const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('weir'));
  const pods = readdirSync(join(root, 'docs/kubernetes')).flatMap((file) =>
    parseAllDocuments(read(`docs/kubernetes/${file}`))
      .map((document) => document.toJS() as Manifest)
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job'),
  );
  const containers = pods.flatMap(({ spec }) => spec.template.spec.containers);
  return {
    compose: Object.fromEntries(ours.map(([name, { command = [] }]) => [name, command])),
    kubernetes: Object.fromEntries(containers.map(({ name, command = [] }) => [name, command])),
    image: instruction('CMD'),
    healthcheck: instruction('HEALTHCHECK'),
  };
}

export type ImageCopy = { readonly from: string; readonly to: string; readonly isBuilt: boolean };

/** The files of the image: what its last stage copies, `isBuilt` from the stage before or else from the checkout. */
export function imageCopies(): ImageCopy[] {
  return lastStage()
    .filter((line) => line.startsWith('COPY '))
    .flatMap((line) => {
      const words = line.split(' ').slice(1);
      const isBuilt = words[0] === '--from=build';
      const paths = words.filter((word) => !word.startsWith('--')).map((path) => path.replace(/^\/weir\//, ''));
      const to = paths.at(-1) ?? '.';
      return paths.slice(0, -1).map((from) => ({ from, to: to === './' ? from : to, isBuilt }));
    });
}
