/**
 * Who may import whom (the picture is in the library READMEs). Each rule has one violation in
 * test/fixtures/boundaries, and test/contracts/boundaries.spec.ts fails when a rule no longer finds its own.
 */
const adapters = ['event-store', 'queue', 'models', 'tools', 'expressions', 'platform'];
const nodeModules = (...names) => `node_modules/(${names.join('|')})(/|$)`;
const isSpec = '\\.spec\\.ts$|/testing/';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** A driver is known to one library; `alsoFrom` are the few other places that may name it. */
const driver = (library, packages, alsoFrom = []) =>
  rule(
    `driver-of-${library}`,
    `${packages.join(', ')} stay in libs/${library}: others use its ports.`,
    { path: '^(apps|libs)/', pathNot: [`^libs/${library}/`, '\\.spec\\.ts$', ...alsoFrom] },
    { path: nodeModules(...packages) },
  );

module.exports = {
  forbidden: [
    rule(
      'domain-is-pure',
      'domain imports zod and nothing else.',
      { path: '^libs/domain/', pathNot: isSpec },
      {
        pathNot: ['^libs/domain/', nodeModules('zod')],
      },
    ),
    rule(
      'context-is-pure',
      'context imports zod and domain and nothing else.',
      { path: '^libs/context/', pathNot: isSpec },
      {
        pathNot: ['^libs/(context|domain)/', nodeModules('zod')],
      },
    ),
    rule(
      'engine-knows-ports-only',
      'engine imports context and domain; adapters implement its ports.',
      { path: '^libs/engine/', pathNot: isSpec },
      {
        path: '^(apps|libs)/',
        pathNot: '^libs/(engine|context|domain)/',
      },
    ),
    rule(
      'expressions-know-domain-only',
      'expressions implement a port of domain.',
      { path: '^libs/expressions/', pathNot: isSpec },
      {
        path: '^(apps|libs)/',
        pathNot: '^libs/(expressions|domain)/',
      },
    ),
    rule(
      'outbound-knows-domain-only',
      'outbound is HTTP with an address guard; adapters use it.',
      { path: '^libs/outbound/', pathNot: isSpec },
      {
        path: '^(apps|libs)/',
        pathNot: '^libs/(outbound|domain)/',
      },
    ),
    rule(
      'client-stands-alone',
      'the client is for other programs: it knows the API, not the code behind it.',
      { path: '^libs/client/', pathNot: isSpec },
      {
        path: '^(apps|libs)/',
        pathNot: '^libs/client/',
      },
    ),
    rule(
      'adapters-do-not-meet',
      'adapters do not import each other; types of platform (settings, logger) excepted.',
      { path: `^libs/(${adapters.join('|')})/`, pathNot: isSpec },
      { path: `^libs/(${adapters.join('|')})/`, pathNot: ['^libs/$1/', '^libs/platform/src/index\\.ts$'] },
    ),
    rule(
      'platform-lends-types-only',
      'an adapter takes types from platform; values reach it as arguments.',
      { path: `^libs/(${adapters.filter((name) => name !== 'platform').join('|')})/`, pathNot: isSpec },
      { path: '^libs/platform/', dependencyTypesNot: ['type-only', 'type-import'] },
    ),
    rule(
      'libraries-do-not-know-apps',
      'apps import libraries, never the other way round.',
      { path: '^libs/' },
      { path: '^apps/' },
    ),
    rule(
      'apps-do-not-meet',
      'apps are processes of their own; they share libraries and apps/runtime.',
      { path: '^apps/([^/]+)/' },
      {
        path: '^apps/',
        pathNot: ['^apps/$1/', '^apps/runtime/'],
      },
    ),
    rule(
      'libraries-by-their-index',
      'another library is entered by its index.ts; tests may use its `testing` folder, which nothing else does.',
      { path: '^(apps|bench|test)/' },
      {
        path: '^libs/[^/]+/src/',
        pathNot: ['^libs/[^/]+/src/index\\.ts$', '^libs/[^/]+/src/testing/'],
      },
    ),
    rule(
      'other-libraries-by-their-index',
      'another library is entered by its index.ts.',
      { path: '^libs/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      {
        path: '^libs/[^/]+/src/',
        pathNot: ['^libs/$1/', '^libs/[^/]+/src/index\\.ts$'],
      },
    ),
    rule(
      'specs-of-libraries-by-index-or-testing',
      "specs enter another library by its index.ts, or use its testing folder: generators and fakes are not the library's.",
      { path: '^libs/([^/]+)/.*\\.spec\\.ts$' },
      {
        path: '^libs/[^/]+/src/',
        pathNot: ['^libs/$1/', '^libs/[^/]+/src/(index\\.ts$|testing/)'],
      },
    ),
    rule(
      'nest-in-apps-and-modules',
      'Nest appears in apps and in *.module.ts of libraries.',
      { path: '^libs/', pathNot: '\\.(module|processor|spec)\\.ts$' },
      {
        path: nodeModules('@nestjs', 'reflect-metadata', 'rxjs'),
      },
    ),
    driver('event-store', ['postgres', 'kysely']),
    driver('queue', ['bullmq', 'ioredis', 'pg', '@nestjs/bullmq'], ['\\.processor\\.ts$', '\\.module\\.ts$']),
    driver('models', ['langchain', '@langchain']),
    driver('tools', ['@modelcontextprotocol']),
    driver('expressions', ['@marcbachmann/cel-js', 're2js'], ['^libs/tools/src/arguments/']),
    driver('outbound', ['undici', 'ipaddr\\.js']),
    rule(
      'tests-stay-out',
      'code that ships imports no tests and nothing that only tests use.',
      { path: '^(apps|libs)/', pathNot: isSpec },
      {
        path: ['^(test|bench)/', isSpec],
      },
    ),
    rule(
      'packages-are-declared',
      'a package that is used stands in package.json.',
      { path: '^(apps|libs)/', pathNot: isSpec },
      {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev', 'unknown', 'undetermined'],
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    ),
    rule('everything-resolves', 'an import that leads nowhere.', {}, { couldNotResolve: true }),
    rule(
      'no-cycles',
      'files that need each other cannot be understood one at a time (types excepted).',
      {},
      {
        circular: true,
        viaOnly: { dependencyTypesNot: ['type-only', 'type-import'] },
      },
    ),
    rule(
      'no-orphans',
      'a file that nothing imports and that imports nothing.',
      {
        orphan: true,
        pathNot: ['\\.d\\.ts$', '(^|/)index\\.ts$', '/main\\.ts$', isSpec, '^test/', '^bench/', '\\.mjs$'],
      },
      {},
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^apps/console/', '^test/fixtures/', '^libs/client/generate\\.mjs$'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'require'],
    },
  },
};
