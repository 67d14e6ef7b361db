import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { isRecord, type Route } from '../evidence.js';
import { AGENT_REQUESTS } from '../generated/agent-requests.js';

interface BodySchema {
  readonly anyOf?: readonly object[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: unknown };
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: BodySchema }> };
}

/** The part of openapi.json that `npm run client` extracts. */
interface AgentRequests {
  readonly operations: readonly Operation[];
  readonly components: { readonly schemas: Record<string, object> };
}

const OPERATIONS: Readonly<Record<string, Route>> = {
  registerAgent: 'register',
  sendHeartbeat: 'heartbeat',
  pollCommands: 'poll',
  acknowledgeCommand: 'acknowledge',
  submitLogs: 'logs',
  submitMetrics: 'metrics',
  claimRuns: 'claim',
  reportRuns: 'reports',
  askApproval: 'ask',
  waitForApproval: 'answer',
  withdrawApproval: 'withdraw',
  getOwnStatus: 'status',
};

/** The document says `date-time`; the service accepts any ISO 8601 time, with and without a zone. */
const ISO_8601 = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?( ?(Z|[+-]\d{2}(:?\d{2})?))?)?$/i;

/** Validates requests against the service's OpenAPI document. */
export class RequestSchemas {
  private readonly bodies = new Map<Route, ValidateFunction>();
  private readonly batches = new Map<Route, ValidateFunction>();
  private readonly queries = new Map<Route, ValidateFunction>();

  constructor() {
    const document = AGENT_REQUESTS as AgentRequests;
    const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
    formats.default(ajv);
    ajv.addFormat('date-time', ISO_8601);
    ajv.addSchema({ $id: 'api', components: document.components });
    for (const { operationId, requestBody, parameters } of document.operations) {
      const route = OPERATIONS[operationId];
      if (!route) continue;
      const schema = requestBody?.content['application/json']?.schema;
      // an entry or a batch: a validator, which ignores unknown properties, may accept a batch as an entry, too
      const [entry, batch] = schema?.anyOf ?? [schema];
      if (entry) this.bodies.set(route, ajv.compile(absolute(entry)));
      if (batch) this.batches.set(route, ajv.compile(absolute(batch)));
      const inQuery = parameters.filter((parameter) => parameter.in === 'query');
      const properties = Object.fromEntries(inQuery.map((parameter) => [parameter.name, parameter.schema]));
      this.queries.set(route, ajv.compile({ type: 'object', properties }));
    }
  }

  /** @returns the violations, in words; empty for a body that the service would accept */
  problemsOf(route: Route, body: unknown, query: URLSearchParams): string[] {
    const validate = (isBatch(route, body) ? this.batches : this.bodies).get(route);
    return [
      ...this.against(validate, withoutNulls(lenientLevels(route, body)), 'body'),
      ...this.against(this.queries.get(route), queryValues(query), 'query'),
    ];
  }

  private against(validate: ValidateFunction | undefined, value: unknown, name: string): string[] {
    if (!validate || validate(value)) return [];
    const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf');
    return errors.map(({ instancePath, message, params }) => {
      const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
      const place = `${name}${instancePath.replaceAll('/', '.')}`;
      return `${place} ${message}${allowed ? ` (${allowed.join(', ')})` : ''}`;
    });
  }
}

function isBatch(route: Route, body: unknown): boolean {
  return (route === 'logs' || route === 'metrics') && isRecord(body) && body[route] !== undefined;
}

/** Makes references to the document absolute. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as object;
}

/** Null counts as absent in the service: many serialisers write it. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)]));
}

/** The service accepts levels in any case, and two synonyms, which a schema can't express. */
function lenientLevels(route: Route, body: unknown): unknown {
  if (route !== 'logs' || typeof body !== 'object' || body === null) return body;
  const { logs, level } = body as { logs?: unknown; level?: unknown };
  if (Array.isArray(logs)) return { ...body, logs: logs.map((entry) => lenientLevels(route, entry)) };
  if (typeof level !== 'string') return body;
  const names: Readonly<Record<string, string>> = { warn: 'warning', fatal: 'critical' };
  const lower = level.toLowerCase();
  return { ...body, level: names[lower] ?? lower };
}

/** Numbers as numbers; an empty value counts as absent. */
function queryValues(query: URLSearchParams): Record<string, unknown> {
  const filled = [...query].filter(([, value]) => value !== '');
  return Object.fromEntries(
    filled.map(([name, value]) => [
      name,
      (name === 'wait' || name === 'limit') && Number.isFinite(Number(value)) ? Number(value) : value,
    ]),
  );
}
