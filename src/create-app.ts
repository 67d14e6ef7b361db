import 'reflect-metadata';
import { createServer, type RequestListener, type Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type AppOptions, AppModule } from './app.module.js';
import { FrameworkLogger } from './config/logger.js';
import { serveDocumentation } from './http/openapi/documentation.js';
import { installRequestPipeline } from './http/request-pipeline.js';
import { guardConnections } from './http-server/guard-connections.js';

/** The whole application, configured but not listening: the service, its tests and the document writer share it. */
export async function createApp(options: AppOptions): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(options), {
    bodyParser: false,
    routeConflictPolicy: { duplicate: 'error' },
    logger: new FrameworkLogger(options.logger),
    abortOnError: false,
  });
  guardConnections(app.getHttpServer());
  installRequestPipeline(app, options.settings, options.logger);
  serveDocumentation(app, options.settings.PUBLIC_URL);
  return app;
}

/** Creates another server of the application, for a port that several servers share. */
export function createServerOf(app: NestExpressApplication): Server {
  const server = createServer(app.getHttpAdapter().getInstance() as RequestListener);
  guardConnections(server);
  return server;
}
