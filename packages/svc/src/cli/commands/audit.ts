import type { AuditEntry } from '@agent-control-plane/client';
import type { Context } from '../context.js';
import { agentOption, findAgentId, findOptionalAgentId } from '../find-agent.js';
import { findTargetId } from '../find-target.js';
import { defineList } from '../list-command.js';
import { filled } from '../option-values.js';
import { actorName } from '../output/actor-name.js';
import type { Column } from '../output/table.js';
import { PAGE } from '../paging.js';
import { periodOptions, periodQuery, readPeriod } from '../telemetry-queries.js';

const OUTCOMES = ['success', 'refused'] as const;

export const command = defineList({
  options: [
    {
      flags: '--actor <actor>',
      description: 'only what this actor did: user:ID, key:ID, or an agent (name or id)',
      parse: filled,
    },
    { flags: '--action <action>', description: 'only this action, such as user.login', parse: filled },
    {
      flags: '--target-id <target>',
      description: 'only acts on this target: a name, an id, or the beginning of one',
      parse: filled,
    },
    {
      ...agentOption,
      description: 'only what was done to this agent (name or id), and to what belongs to it',
    },
    { flags: '--outcome <outcome>', description: 'only acts with this outcome', choices: OUTCOMES },
    ...periodOptions,
  ],
  details:
    'Newest first. Operators see all entries; other people see their own acts, and acts on their ' +
    'resources and in projects that they own.',
  examples: [
    {
      command: 'audit --action user.login --outcome refused --since 1d',
      explanation: 'logins that were refused since yesterday',
    },
    {
      command: 'audit --actor key:0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01 --all',
      explanation: 'everything that a key did',
    },
    {
      command: 'audit --agent-id mail-sorter',
      explanation: 'who did what to an agent, its deployments, runs, keys',
    },
  ],
  read: (input) => ({
    ...readPeriod(input),
    actor: input.text('actor'),
    action: input.text('action'),
    target: input.text('target-id'),
    agent: input.text('agent-id'),
    outcome: input.value<(typeof OUTCOMES)[number]>('outcome'),
  }),
  async pages({ actor, action, target, agent, outcome, ...period }, context) {
    const filter = {
      actor: actor === undefined ? undefined : await findActor(context, actor),
      action,
      target_id: target === undefined ? undefined : await findTargetId(context, target),
      agent_id: await findOptionalAgentId(context, agent),
      outcome,
      project_id: await context.projectId(),
      ...periodQuery(period, context),
    };
    return (query) => context.service().GET('/audit', { params: { query: { ...filter, ...query } } });
  },
  pageSize: PAGE.records,
  columns,
  ifEmpty: 'No entries',
});

function columns(context: Context): Column<AuditEntry>[] {
  const { colors } = context.terminal;
  return [
    { title: 'TIME', value: ({ at }) => at },
    {
      title: 'OUTCOME',
      value: ({ outcome }) => outcome,
      fit: 'status',
      paint: (text, { outcome }) => (outcome === 'success' ? text : colors.red(text)),
    },
    { title: 'ACTION', value: ({ action }) => action, fit: 'status' },
    { title: 'NAME', value: ({ target_name: name }) => name ?? '', fit: 'name' },
    { title: 'TARGET', value: ({ target_id: target }) => target ?? '', fit: 'id' },
    { title: 'ACTOR', value: (entry) => actorName(entry) ?? entry.actor, fit: 'name' },
    { title: 'ADDRESS', value: ({ address }) => address ?? '' },
    { title: 'DETAILS', value: ({ details }) => JSON.stringify(details), fit: 'detail' },
  ];
}

/** Actors without an id. */
const NAMELESS = ['anonymous', 'service'];

/** An actor as the service knows it: of an agent that a person names, its id. @throws as {@link findAgentId} */
async function findActor(context: Context, text: string): Promise<string> {
  const isActor = /^(?:user|key|agent):/.test(text) || NAMELESS.includes(text);
  return isActor ? text : `agent:${await findAgentId(context, text)}`;
}
