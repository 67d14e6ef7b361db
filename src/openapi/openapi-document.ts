import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { SECURITY_SCHEMES, USER_SCHEMES } from '../access/route-access.js';
import { version } from '../config/version.js';
import { ErrorBody } from '../http/error-body.js';
import { referToEnumerations } from './enumerations.js';
import { addExamples } from './examples.js';
import { addErrorResponses, codeSchemas, errorComponents } from './error-responses.js';
import {
  type Components,
  DOCUMENTED_WEBHOOKS,
  type DocumentedWebhooks,
  type Operation,
} from '../http/openapi/operation.js';
import { inheritModels } from './inherited-models.js';
import { describeSuccesses } from './described-successes.js';
import { closeRequests, withoutNullInEnums } from './request-schemas.js';
import { addImpliedHeaders, RESPONSE_HEADERS } from './response-headers.js';
import { shareParameters } from './shared-components.js';

const USUAL_SECURITY = USER_SCHEMES.map((scheme) => ({ [scheme]: [] }));

const DESCRIPTION = `Records, deploys, scales, restarts, stops and watches agents that run on machines of their own.

Lists are plain arrays, newest first. Every error has the shape of \`ErrorBody\`. Timestamps are ISO 8601 in UTC.
Every response has an \`X-Request-Id\`, as the service's logs have.
A method that a path does not have, OPTIONS among them, is a 405 that names in \`Allow\` those it has.
\`POST /mcp\` speaks the Model Context Protocol, whose clients ask it for its tools: it is not part of this document.
People call with an access token or a user API key; runtimes call with their agent's API key.

Live streams are server-sent events. The \`data\` of each is one object as JSON. Comments come as heartbeats; an \`id\`
without data says where to resume. The last event is named \`end\` when the service ends the stream; its data is
\`{"reason"}\`. After a \`shutdown\`, and whenever the connection is lost, connect again and resume.`;

/** `addBearerAuth` would say that the key is a JWT. */
const bearerKey = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description });

function baseDocument() {
  return (
    new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Agent control plane')
      .setDescription(DESCRIPTION)
      .setVersion(version)
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
      // The service replaces it where its address from outside has a path.
      .addServer('/', 'The service that serves this document')
      .addTag('Root', 'Version and health of the service')
      .addTag('Auth', 'Accounts and tokens')
      .addTag('Users', 'Accounts, for operators')
      .addTag('Projects', 'Own agents, webhooks and keys; members and their roles')
      .addTag('Agents', 'Create, configure, deploy and stop agents')
      .addTag('Deployments', 'Deployments and their lifecycle')
      .addTag('Runs', 'Pieces of work for agents: create, follow and cancel them')
      .addTag('Usage', 'Tokens, calls and cost of models and tools')
      .addTag('Budgets', 'Limits on the usage of agents')
      .addTag('Schedules', 'Runs that are created at set times')
      .addTag('Pauses', 'Pause and resume one or many agents')
      .addTag('Approvals', 'Actions of agents that people approve or reject')
      .addTag('Agent runtime', "Routes for an agent's own process")
      .addTag('API keys', "Keys for scripts, and additional keys for agents' runtimes")
      .addTag('Webhooks', 'Messages about events to your own endpoints')
      .addTag('Inbound reports', 'Reports of another system of the owner about agents and deployments')
      .addTag('Audit', 'The audit log')
      .addTag('Newsletter', 'Newsletter subscriptions')
      .addTag('Service', 'Switches that apply to all instances')
      .addTag('Leads', 'Requests for contact')
      .addBearerAuth({ type: 'http', description: 'Access token of a person.' }, SECURITY_SCHEMES.accessToken)
      .addSecurity(SECURITY_SCHEMES.userApiKey, bearerKey('User API key (`svc_user_...`).'))
      .addApiKey(
        { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'User API key (`svc_user_...`).' },
        SECURITY_SCHEMES.userApiKeyHeader,
      )
      .addSecurity(SECURITY_SCHEMES.agentApiKey, bearerKey('Agent API key (`svc_agent_...`).'))
      .build()
  );
}

/**
 * The OpenAPI document of the application, the same in every environment. An operation has the name of its controller's
 * method. Nest writes everything out at every operation; here the common parts move to `components`: errors under their
 * status, parameters under their name, and a model that inherits from another one refers to it. Each model gets one
 * example, built from its properties'. Successes stay with their operation, because generators that look there for the
 * model do not follow a reference.
 */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const document = SwaggerModule.createDocument(app, baseDocument(), {
    extraModels: [ErrorBody],
    autoTagControllers: false,
    operationIdFactory: (_controller, method) => method,
  });
  const { webhooks, components: ofWebhooks } = app.get<DocumentedWebhooks>(DOCUMENTED_WEBHOOKS, {
    strict: false,
  });
  const components: Components = document.components!;
  document.paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path === '/webhooks' ? '/webhooks/' : path, item]),
  );
  const operations = operationsOf(document.paths);
  const ids = operations.map(({ operationId }) => operationId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice) throw new Error(`Two methods of controllers are called ${twice}, which names their operation`);
  for (const operation of operations) {
    addErrorResponses(operation);
    addImpliedHeaders(operation);
    describeSuccesses(operation);
    closeRequests(operation, components.schemas!);
    leaveUsualSecurityOut(operation);
  }
  document.security = USUAL_SECURITY;
  document.webhooks = webhooks;
  referToEnumerations(components.schemas!);
  Object.assign(components.schemas!, codeSchemas());
  components.headers = RESPONSE_HEADERS;
  components.responses = { ...errorComponents(), ...ofWebhooks.responses };
  components.pathItems = ofWebhooks.pathItems;
  components.parameters = { ...shareParameters(operations), ...ofWebhooks.parameters };
  inheritModels(components.schemas!);
  addExamples(document);
  withoutNullInEnums(document);
  return document;
}

/**
 * Most routes accept any credential of a person: the document declares that once, and open routes declare that they
 * need none.
 */
function leaveUsualSecurityOut(operation: Operation): void {
  operation.security ??= [];
  if (JSON.stringify(operation.security) === JSON.stringify(USUAL_SECURITY)) delete operation.security;
}

function operationsOf(paths: OpenAPIObject['paths']): Operation[] {
  return Object.values(paths).flatMap((path) =>
    [path.get, path.post, path.put, path.patch, path.delete].filter((operation) => operation !== undefined),
  );
}
