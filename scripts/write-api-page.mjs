// Writes the files of the API's page, as the service serves them: node scripts/write-api-page.mjs DIST
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';

const SOURCES = join(import.meta.dirname, '..', 'src');
const OWN_FILES = ['http/openapi/page/start.js', 'http/openapi/page/theme.css', 'web/ui/public/icon.svg'];

/**
 * The page's program. The plugin for Fastify is the only package that has it alone: `@scalar/api-reference` would install 284
 * packages of 311 MB. So a Fastify that only notes routes is given to the plugin, and the route of the program is called.
 */
function referenceProgram() {
  const routes = [];
  const fastify = { hasPlugin: () => false, route: (route) => routes.push(route) };
  scalar(fastify, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, () => undefined);
  const { handler } = routes.find(({ url }) => url.endsWith('.js'));
  const reply = { header: () => reply, send: (body) => body };
  return handler(undefined, reply);
}

/** The licence asks to be in every copy. */
function licence() {
  const description = findPackageJSON('@scalar/fastify-api-reference', import.meta.url);
  return readFileSync(join(dirname(description), 'LICENSE'), 'utf8').trim();
}

const folder = join(resolve(process.argv[2]), 'service', 'page', 'docs');
mkdirSync(folder, { recursive: true });
for (const file of OWN_FILES) copyFileSync(join(SOURCES, file), join(folder, basename(file)));
const program = `/*!\n${licence()}\n*/\n${referenceProgram()}`;
// only compressed: the program itself would be 4.9 MB more in the image, and each browser takes it so
writeFileSync(join(folder, 'reference.js.gz'), gzipSync(program, { level: 9 }));
