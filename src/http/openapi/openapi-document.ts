import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SECURITY_SCHEMES } from '../../access/route-access.js';
import { version } from '../../config/version.js';
import { ErrorBody } from '../error-body.js';
import { DOCUMENTED_WEBHOOKS } from './documented-webhooks.js';
import { addErrorResponses, type Operation } from './error-responses.js';
import { addResponseHeaders, RESPONSE_HEADERS } from './response-headers.js';

const DESCRIPTION = `Records, deploys, scales, restarts, stops and watches agents that run on machines of their own.

Lists are plain arrays, newest first. Every error has the shape of \`ErrorBody\`. Timestamps are ISO 8601 in UTC.
A method that a path does not have, OPTIONS among them, is a 405 that names in \`Allow\` those it has.
People call with an access token or a user API key; runtimes call with their agent's API key.`;

function baseDocument() {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Agent control plane')
    .setDescription(DESCRIPTION)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The service that serves this document')
    .addTag('Root', 'What this is, and whether it works')
    .addTag('Auth', 'Accounts and tokens')
    .addTag('Users', 'Accounts, for operators')
    .addTag('Agents', 'Agent records, and deploying and stopping them')
    .addTag('Deployments', 'Deployments and their lifecycle')
    .addTag('Agent runtime', "The routes that an agent's own process calls")
    .addTag('API keys', "Keys for scripts, and further keys for agents' runtimes")
    .addTag('Webhooks', 'Messages to endpoints of your own when something happens')
    .addTag('Inbound reports', 'What another system tells of agents and deployments, for their owner')
    .addTag('Newsletter', 'Signing up for it')
    .addTag('Leads', 'People who would like to be written to')
    .addBearerAuth({ type: 'http', description: 'Access token of a person.' }, SECURITY_SCHEMES.accessToken)
    .addBearerAuth(
      { type: 'http', description: 'User API key (`svc_user_...`).' },
      SECURITY_SCHEMES.userApiKey,
    )
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'User API key (`svc_user_...`).' },
      SECURITY_SCHEMES.userApiKeyHeader,
    )
    .addBearerAuth(
      { type: 'http', description: 'Agent API key (`svc_agent_...`).' },
      SECURITY_SCHEMES.agentApiKey,
    )
    .build();
}

/** The OpenAPI document of the application, the same in every environment. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, baseDocument(), { extraModels: [ErrorBody] });
  for (const operation of operationsOf(document)) {
    if (!operation.operationId || operation.operationId.includes('Controller')) {
      throw new Error(`A route has no operationId of its own: ${operation.operationId}`);
    }
    // said outright: none is needed
    operation.security ??= [];
    addErrorResponses(operation);
    addResponseHeaders(operation);
  }
  document.components!.headers = RESPONSE_HEADERS;
  document.webhooks = app.get<NonNullable<OpenAPIObject['webhooks']>>(DOCUMENTED_WEBHOOKS, { strict: false });
  return document;
}

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths).flatMap((path) =>
    [path.get, path.post, path.put, path.patch, path.delete].filter((operation) => operation !== undefined),
  );
}
