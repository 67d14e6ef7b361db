// Who may import whom: the rules of docs/architecture.md, in its order. Types count as imports.
/** Composition root: the files directly in src, the only ones that see every module. */
const ROOT = '^src/[^/]+\\.ts$';
/** What every feature may stand on, and what each of them may import. */
const FOUNDATIONS_BELOW = {
  ...Object.fromEntries(['budget', 'errors', 'access', 'lifecycle', 'secrets'].map((name) => [name, []])),
  'embedded-postgres': [],
  config: ['http-server'],
  'http-server': ['budget'],
  observability: ['access', 'config', 'http-server'],
  database: ['budget', 'config', 'observability'],
  http: ['budget', 'http-server', 'config', 'errors', 'access', 'observability', 'database'],
  sealing: ['config', 'errors', 'secrets', 'database', 'http'],
  live: ['config', 'errors', 'access', 'database', 'http'],
  'audit-log': ['config', 'errors', 'access', 'database', 'http'],
  idempotency: ['config', 'errors', 'secrets', 'access', 'database', 'http', 'sealing', 'audit-log'],
  openapi: ['config', 'errors', 'access', 'http'],
  'database-move': ['config', 'database'],
  doctor: ['config', 'secrets', 'database', 'http'],
};

const FOUNDATION = Object.keys(FOUNDATIONS_BELOW);
/** Programs of their own: the first reaches the service over HTTP alone, the second looks into the database alone. */
const PROGRAMS = ['web'];
const AUDIT = 'audit';

/** The route groups and their helpers, lowest first: a feature imports only from lines above its own. */
const LAYERS = [
  ['users', 'api-keys', 'webhooks', 'commands', 'newsletter', 'leads', 'health', 'switches'],
  ['quotas'],
  ['projects'],
  ['agents'],
  ['deployments'],
  ['runs'],
  ['usage', 'pauses', 'approvals'],
  ['telemetry', 'budgets'],
  ['traces'],
  ['agent-runtime', 'inbound-reports', 'monitor', 'overview', 'mcp'],
  ['auth'],
];

/** They touch no feature, though the order would let them. */
const ALONE = ['newsletter', 'leads', 'health', 'webhooks'];

const oneOf = (names) => `(${names.join('|')})`;
const folder = (...names) => `^src/${oneOf(names)}/`;
const SPEC = '\\.(spec|e2e-spec)\\.ts$';
const NODE_MODULES = (name) => `(^|/)node_modules/${name}(/|$)`;

const features = LAYERS.flat();
const layerRules = LAYERS.flatMap((layer, level) => {
  const above = LAYERS.slice(level + 1).flat();
  return layer.map((feature) => ({
    name: `5-order-of-${feature}`,
    comment: LAYERS.map((names) => names.join(', ')).join(' < '),
    severity: 'error',
    from: { path: folder(feature), pathNot: SPEC },
    to: { path: folder(...above, ...layer.filter((it) => it !== feature)) },
  }));
});

const foundationRules = Object.entries(FOUNDATIONS_BELOW).map(([name, below]) => ({
  name: `3-${name}-imports-only-what-is-below`,
  severity: 'error',
  from: { path: folder(name), pathNot: SPEC },
  to: { path: '^src/', pathNot: folder(name, ...below) },
}));

const forbidden = [
  {
    name: '1-no-cycles',
    comment: 'Under ES modules a cycle between decorated classes crashes at load',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: '1-no-lazy-import',
    comment: 'import() hides a cycle instead of removing it',
    severity: 'error',
    // programs load what a command or a page needs, when it needs it
    from: { path: '^src/', pathNot: [SPEC, '^src/main\\.ts$', '^src/web/ui/'] },
    to: { path: '^src/', dependencyTypes: ['dynamic-import'] },
  },
  {
    name: '2-nothing-imports-the-root',
    comment: 'main.ts, app.module.ts and their neighbours put everything together; nothing stands on them',
    severity: 'error',
    from: { path: '^src/.+/' },
    to: { path: ROOT },
  },
  {
    name: '2-nothing-imports-main',
    severity: 'error',
    from: { path: '^(src|test|migrations|demo)/|^ormconfig' },
    to: { path: '^src/(main|write-openapi)\\.ts$' },
  },
  ...foundationRules,
  {
    name: '3-embedded-server-imports-nothing',
    comment: 'it could be a package of its own: Node, nothing else',
    severity: 'error',
    from: { path: '^src/embedded-postgres/', pathNot: SPEC },
    to: { path: NODE_MODULES('.+') },
  },
  {
    name: '4-only-the-public-side-of-a-feature',
    comment: 'a module, an exported service, the outbox, types, and a resource as the API shows it',
    severity: 'error',
    from: { path: `^src/${oneOf(features)}/`, pathNot: SPEC },
    to: {
      path: folder(...features),
      pathNot: [
        '^src/$1/',
        '^src/telemetry/(otlp/(?!.*\\.controller)|entry-references|dto/otlp-schemas)',
        '^src/[^/]+/(?!dto/).*\\.(module|service|types|response)\\.ts$',
        '/webhook-outbox\\.ts$',
      ],
    },
  },
  ...layerRules,
  {
    name: '5-features-that-touch-none',
    comment: 'newsletter, leads and health touch no feature; webhooks knows no other one',
    severity: 'error',
    from: { path: `^src/${oneOf(ALONE)}/`, pathNot: SPEC },
    to: { path: folder(...features), pathNot: '^src/$1/' },
  },
  {
    name: '5-every-folder-has-a-place',
    comment: 'a new folder of src belongs into one of the lists of this file first',
    severity: 'error',
    from: {},
    to: { path: '^src/[^/]+/', pathNot: folder(...FOUNDATION, ...features, ...PROGRAMS, AUDIT) },
  },
  {
    name: '6-only-the-root-imports-auth',
    comment: 'controllers import access; that ends the usual circle of auth and users',
    severity: 'error',
    // a spec may compare what two programs say about the same thing
    from: { pathNot: ['^src/auth/', ROOT, '^test/', '^src/web/ui/.+\\.spec\\.ts$'] },
    to: { path: folder('auth') },
  },
  {
    name: '7-repository-and-entity-look-down',
    comment: 'controller -> service -> repository -> entity',
    severity: 'error',
    from: { path: '^src/.+\\.(repository|entity)\\.ts$' },
    to: { path: '^src/.+\\.(service|controller|module|guard|interceptor)\\.ts$' },
  },
  {
    name: '7-entity-is-the-bottom',
    severity: 'error',
    from: { path: '^src/.+\\.entity\\.ts$' },
    to: { path: '^src/.+\\.repository\\.ts$' },
  },
  {
    name: '7-service-knows-no-controller',
    severity: 'error',
    from: { path: '^src/.+\\.service\\.ts$' },
    to: { path: '^src/.+\\.(controller|module)\\.ts$' },
  },
  {
    name: '7-controller-asks-the-service',
    severity: 'error',
    from: { path: '^src/.+\\.controller\\.ts$' },
    to: { path: '^src/.+\\.(repository|entity)\\.ts$' },
  },
  {
    name: '7-http-stays-above-the-service',
    comment:
      "Nest's HTTP exceptions are for eslint.config.mjs: they come from the same package as everything else",
    severity: 'error',
    from: { path: '^src/.+\\.(service|repository|entity)\\.ts$' },
    to: { path: [NODE_MODULES('(@types/)?express'), NODE_MODULES('@nestjs/(swagger|platform-express)')] },
  },
  {
    name: '8-typeorm-in-its-place',
    severity: 'error',
    from: {
      path: '^(src|migrations|demo)/|^ormconfig\\.ts$',
      pathNot: ['\\.(entity|repository)\\.ts$', '^src/database/', '^migrations/', '^ormconfig\\.ts$'],
    },
    to: { path: NODE_MODULES('typeorm') },
  },
  {
    name: '8-rules-are-pure',
    comment: 'the state machine, signatures and the retry schedule import no framework',
    severity: 'error',
    from: {
      path: ['^src/lifecycle/', '^src/.*(transitions|signature|retry-schedule)[^/]*\\.ts$'],
      pathNot: SPEC,
    },
    to: { path: NODE_MODULES('.+') },
  },
  {
    name: '9-programs-know-the-client-alone',
    comment: 'web reaches the service as anybody does; it is an HTTP server, too',
    severity: 'error',
    from: { path: `^src/${oneOf(PROGRAMS)}/`, pathNot: SPEC },
    to: { path: '^src/', pathNot: ['^src/$1/', '^src/http-server/'] },
  },
  {
    name: '9-nobody-imports-a-program',
    severity: 'error',
    from: { path: '^src/', pathNot: folder(...PROGRAMS) },
    to: { path: folder(...PROGRAMS) },
  },
  {
    name: '9-audit-trusts-no-feature',
    comment: 'it holds the data against the state machine, not against the code that wrote it',
    severity: 'error',
    from: { path: folder(AUDIT), pathNot: SPEC },
    to: { path: '^src/', pathNot: folder(AUDIT, 'config', 'lifecycle') },
  },
  {
    name: '9-nobody-imports-the-audit-the-doctor-or-the-document',
    comment: 'openapi is for npm run openapi; the running service reads what that has written',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/((audit|doctor|openapi)/|write-openapi|(doctor|move-database)-)' },
    to: { path: '^src/(audit|doctor|openapi)/' },
  },
  {
    name: '10-packages-know-nothing-of-the-service',
    comment: 'they are installed without it, and reach it over HTTP',
    severity: 'error',
    from: { path: '^packages/' },
    to: { path: '^(src|migrations|test|bench|demo)/' },
  },
  {
    name: '10-packages-know-the-client-alone',
    severity: 'error',
    from: { path: '^packages/([^/]+)/' },
    to: { path: '^packages/', pathNot: ['^packages/$1/', '^packages/client/'] },
  },
  {
    name: '10-other-packages-by-their-name',
    comment: 'a relative path out of a package leads nowhere once it is installed',
    severity: 'error',
    from: { path: '^packages/([^/]+)/' },
    to: { path: '^packages/', pathNot: '^packages/$1/', dependencyTypes: ['local'] },
  },
  {
    name: '10-the-service-needs-no-package',
    comment: 'it runs without them: they lend it types, and the dashboard is bundled',
    severity: 'error',
    from: { path: '^(src|migrations)/', pathNot: [SPEC, '^src/web/ui/'] },
    to: { path: '^packages/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: '10-client-before-runtime',
    comment: 'the client works in a browser, too',
    severity: 'error',
    from: { path: '^packages/client/src/', pathNot: [SPEC, '^packages/client/src/runtime/'] },
    to: { path: '^packages/client/src/runtime/' },
  },
  {
    name: '11-src-imports-no-test',
    severity: 'error',
    from: { path: '^(src|migrations|packages)/', pathNot: SPEC },
    to: { path: ['^(test|bench|demo)/', SPEC] },
  },
  {
    name: 'names-say-something',
    comment: 'a folder called common or utils collects what nobody has thought about',
    severity: 'error',
    from: {},
    to: { path: '/(common|utils?|helpers?|shared|misc)(/|\\.ts$)', pathNot: NODE_MODULES('.+') },
  },
  {
    name: 'no-barrels',
    comment: 'an index.ts makes cycles, and loads everything for anything',
    severity: 'error',
    from: {},
    to: { path: '/index\\.ts$', pathNot: NODE_MODULES('.+') },
  },
  { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  {
    name: 'only-what-is-installed-in-production',
    severity: 'error',
    // the dashboard is bundled when it is built
    from: { path: '^(src|migrations|packages)/', pathNot: [SPEC, '^src/web/'] },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: NODE_MODULES('@types/.+') },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden,
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@agent-control-plane/source', 'import', 'node', 'default', 'types'],
    },
  },
};
