import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { NotFoundException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import type { NextFunction, Request, Response } from 'express';
import { pathOf } from '../../http-server/public-address.js';

/** Paths that leave the folder and return to it; no file of the page has such a name. */
const DETOUR = /\/\/|\/\.|%2e|%2f/i;

/**
 * The page loads and requests from this server only, and can't be framed. It has a `<style>` and sets styles of
 * elements by script, so styles are allowed inline; scripts are not.
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

const DOCUMENTATION = /^\/(?:docs(?:\/|$)|openapi\.json$)/i;

/** Returns true for the paths of the documentation and of the files of its page, in any case. */
export function isDocumentation(path: string): boolean {
  return DOCUMENTATION.test(path);
}

/**
 * Serves `GET /openapi.json`, and `GET /docs` for people, without a database or a credential.
 *
 * @param publicUrl address of the service from outside; empty: unknown
 */
export function serveDocumentation(app: NestExpressApplication, publicUrl: string): void {
  app.use('/docs', pageHeaders, refuseDetours);
  SwaggerModule.setup('docs', app, () => servedDocument(publicUrl), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Agent control plane: API',
  });
}

/**
 * The document that `npm run openapi` has written: nothing of it is made while the service runs. It is read when it is first asked
 * for, and a test holds it against the controllers.
 */
export function committedDocument(): OpenAPIObject {
  const file = join(dirname(findPackageJSON(import.meta.url)!), 'openapi.json');
  return JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
}

function servedDocument(publicUrl: string): OpenAPIObject {
  const document = committedDocument();
  // Behind a proxy that strips a prefix, the address from outside has it.
  document.servers![0]!.url = pathOf(publicUrl) || '/';
  return document;
}

/** The middleware for the page's files would redirect such paths (`/docs/x/..`), but the service never redirects. */
function refuseDetours(request: Request, _response: Response, next: NextFunction): void {
  if (DETOUR.test(request.originalUrl.replace(/\?.*/s, ''))) throw new NotFoundException();
  next();
}
