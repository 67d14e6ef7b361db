import { NotFoundException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import type { NextFunction, Request, Response } from 'express';
import { openApiDocument } from './openapi-document.js';

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

/** Serves `GET /openapi.json`, and `GET /docs` for people, without a database or a credential. */
export function serveDocumentation(app: NestExpressApplication): void {
  app.use('/docs', pageHeaders, refuseDetours);
  SwaggerModule.setup('docs', app, () => openApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Agent control plane: API',
  });
}

/** The middleware for the page's files would redirect such paths (`/docs/x/..`), but the service never redirects. */
function refuseDetours(request: Request, _response: Response, next: NextFunction): void {
  if (DETOUR.test(request.originalUrl.replace(/\?.*/s, ''))) throw new NotFoundException();
  next();
}
