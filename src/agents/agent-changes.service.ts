import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import { Database } from '../database/database.js';
import { PreconditionFailedError } from '../errors/domain-error.js';
import { reached } from '../http/required-role.js';
import { DEFAULT_TYPE, defaultName, EMPTY_CONFIG } from './agent-defaults.js';
import { AgentHandoverService } from './agent-handover.service.js';
import { AgentRecordsService } from './agent-records.service.js';
import { AgentReadingService } from './agent-reading.service.js';
import { DEFAULT_SETTINGS } from './agent-settings.types.js';
import type { Agent, AgentChange } from './agent.types.js';
import { keepingSecrets } from './config-secrets.js';
import { lockOwnedAgent } from './locked-agents.repository.js';
import { assertRunConfig } from './run-config.js';

/** Names of the API, where they differ. */
const NAMES: Readonly<Record<string, string>> = { onLoop: 'on_loop', usageFrom: 'usage_from' };

/** Changes of an agent's record that its owner asks for. */
@Injectable()
export class AgentChangesService {
  constructor(
    private readonly records: AgentRecordsService,
    private readonly handovers: AgentHandoverService,
    private readonly reading: AgentReadingService,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * Updates an agent. Undefined keeps a property, null sets it to the default of a new agent. A config that differs
   * from the newest version becomes the next version; deployments keep theirs.
   *
   * A handover to another project happens after the other changes.
   *
   * @param configVersions of which the newest must be one; undefined: whichever it is
   * @throws NotFoundError where the caller has no such agent, or sees no such project
   * @throws ForbiddenError where the caller's role in one of the projects does not allow it
   * @throws ConflictError where the project already has `MAX_AGENTS_PER_PROJECT` agents
   * @throws PreconditionFailedError where the newest config version is another one
   * @throws InvalidError where the config has keys of `svc run` with values that it would refuse, or keeps values that
   * there are not
   * @throws RateLimitedError
   */
  async update(
    caller: UserPrincipal,
    agentId: string,
    { projectId, ...change }: AgentChange,
    configVersions?: readonly number[],
  ): Promise<Agent> {
    if (change.config) assertRunConfig(change.config);
    return this.database.people.transaction(async (tx) => {
      const reach = ownReachOf(caller);
      reached(reach, await lockOwnedAgent(tx, reach.projectIds, agentId), 'Agent');
      const before = await this.reading.get(tx, agentId);
      if (configVersions && !configVersions.includes(before.configVersion)) {
        throw new PreconditionFailedError(
          `The newest config version is ${before.configVersion}, and If-Match names ${configVersions.join(', ')}: read the agent again`,
        );
      }
      const given = changed(before.config, change.config, EMPTY_CONFIG);
      const config = given === before.config ? given : keepingSecrets(given, before.config);
      const configVersion = before.configVersion + (config === before.config ? 0 : 1);
      const capture = changed(before.capture, change.capture, DEFAULT_SETTINGS.capture);
      const usageFrom = changed(before.usageFrom, change.usageFrom, DEFAULT_SETTINGS.usageFrom);
      await this.records.update(tx, before, {
        config,
        actor: actorOf(caller),
        name: changed(before.name, change.name, defaultName(agentId)),
        description: changed(before.description, change.description, null),
        type: changed(before.type, change.type, DEFAULT_TYPE),
        labels: changed(before.labels, change.labels, {}),
        usageFrom,
        onLoop: changed(before.onLoop, change.onLoop, DEFAULT_SETTINGS.onLoop),
        capture,
        configVersion,
      });
      const target = targetOf('agent', before);
      const properties = Object.entries(change).flatMap(([name, value]) =>
        value === undefined ? [] : (NAMES[name] ?? name),
      );
      if (properties.length > 0 || projectId === undefined) {
        const isCapture = change.capture !== undefined;
        const facts = { properties, config_version: configVersion, ...(isCapture && { capture }) };
        await this.auditLog.write(tx, caller, 'agent.update', target, facts);
      }
      if (projectId !== undefined) await this.handovers.move(tx, caller, before, projectId);
      return this.reading.get(tx, agentId);
    }, caller.userId);
  }
}

function changed<Value>(before: Value, given: Value | null | undefined, cleared: Value): Value {
  return given === undefined ? before : (given ?? cleared);
}
