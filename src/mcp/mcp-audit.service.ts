import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import type { RequestWay } from '../access/request-origin.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { isRecord } from '../http/json-record.js';
import { OPERATION_TOOLS, WHY } from './tools.js';

const NAMES = new Set([WHY, ...OPERATION_TOOLS].map(({ name }) => name));
const IDS = ['agent_id', 'deployment_id', 'run_id'];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Records every call of a tool, with the program that made it; other messages of the protocol do nothing. */
@Injectable()
export class McpAuditService {
  constructor(private readonly auditLog: AuditLogService) {}

  note(user: UserPrincipal, way: RequestWay, body: unknown, hasSucceeded: boolean): void {
    if (!isRecord(body) || body.method !== 'tools/call') return;
    const { name, arguments: given } = isRecord(body.params) ? body.params : {};
    // Neither an unknown name nor a value that is no id is recorded: it may be anything.
    const tool = typeof name === 'string' && NAMES.has(name) ? name : null;
    this.auditLog.call(
      { ...user, origin: { ...user.origin, way } },
      'mcp.call',
      { type: 'route', id: null, projectId: null },
      { tool, ...idsOf(isRecord(given) ? given : {}) },
      hasSucceeded ? 'success' : 'refused',
    );
  }
}

function idsOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    IDS.flatMap((name) => {
      const value = given[name];
      return typeof value === 'string' && UUID.test(value) ? [[name, value.toLowerCase()]] : [];
    }),
  );
}
