import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { OpenAPIObject } from '@nestjs/swagger';
import helmet from 'helmet';
import type { Express, NextFunction, Request, Response } from 'express';
import { serveBuiltFiles } from '../../http-server/built-files.js';
import { pathOf } from '../../http-server/public-address.js';

const ROOT = dirname(findPackageJSON(import.meta.url)!);
/** Files of the page, which `scripts/write-api-page.mjs` writes. */
const PAGE_FOLDER = join(ROOT, 'dist', 'service', 'page');
const PAGE_FILES = ['/docs/reference.js', '/docs/start.js', '/docs/theme.css', '/docs/icon.svg'];

/**
 * The page loads and requests from this server only, and can't be framed. Its program adds `<style>` elements, so styles are
 * allowed inline; scripts are not.
 */
const pageHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // The header is set for every reply already.
  strictTransportSecurity: false,
});

/**
 * Serves `GET /openapi.json`, and `GET /docs` for people, without a database or a credential.
 *
 * @param publicUrl address of the service from outside; empty: unknown
 */
export function serveDocumentation(app: NestExpressApplication, publicUrl: string): void {
  let document: string | undefined;
  const files = serveBuiltFiles(PAGE_FOLDER, {
    gzip: true,
    setHeaders: (response) => response.setHeader('Cache-Control', 'no-cache'),
  });
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/openapi.json', (_request, response) => {
    response.type('json').send((document ??= JSON.stringify(servedDocument(publicUrl))));
  });
  express.get('/docs', pageHeaders, (request, response) => {
    response.type('html').send(pageAt(request.path.endsWith('/') ? './' : './docs/'));
  });
  for (const path of PAGE_FILES) express.get(path, takeCompressed, files);
}

/** The page's program is stored compressed alone, and sent so even if a proxy has removed `Accept-Encoding`. */
function takeCompressed(request: Request, _response: Response, next: NextFunction): void {
  request.headers['accept-encoding'] = 'gzip';
  next();
}

/** The page for people. Addresses are relative to its own, because a proxy may strip a prefix. */
function pageAt(folder: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Agent control plane: API</title>
<link rel="icon" type="image/svg+xml" href="${folder}icon.svg">
<link rel="stylesheet" href="${folder}theme.css">
</head>
<body>
<div id="api"></div>
<noscript>This page needs JavaScript. <a href="${folder}../openapi.json">The document that it shows</a> needs none.</noscript>
<script src="${folder}reference.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`;
}

/**
 * The document that `npm run openapi` has written: nothing of it is made while the service runs. It is read when it is first asked
 * for, and a test holds it against the controllers.
 */
export function committedDocument(): OpenAPIObject {
  return JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as OpenAPIObject;
}

function servedDocument(publicUrl: string): OpenAPIObject {
  const document = committedDocument();
  // Behind a proxy that strips a prefix, the address from outside has it.
  document.servers![0]!.url = pathOf(publicUrl) || '/';
  return document;
}
