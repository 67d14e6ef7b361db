import type { CommandRecord } from '@agent-control-plane/client';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import type { Context } from '../../context.js';
import { defineList } from '../../list-command.js';
import { paintStatus } from '../../output/paint.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';
import { PAGE } from '../../paging.js';

const STATES = ['pending', 'leased', 'succeeded', 'failed', 'dead', 'superseded'] as const;

export const command = defineList({
  arguments: [deploymentArgument],
  options: [{ flags: '--state <state>', description: 'only those in this state', choices: STATES }],
  details: 'Shows each command, its result, and what it is waiting for.',
  examples: [
    {
      command: 'deploy commands 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --state pending',
      explanation: 'why nothing happens',
    },
    {
      command: 'deploy commands 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
      explanation: 'all commands, newest first',
    },
  ],
  read: (input) => ({
    deployment: input.argument('deployment'),
    state: input.value<CommandRecord['state']>('state'),
  }),
  async pages({ deployment, state }, context) {
    const path = { deployment_id: await findDeploymentId(context, deployment) };
    return (query) =>
      context
        .service()
        .GET('/deployments/{deployment_id}/commands', { params: { path, query: { ...query, state } } });
  },
  pageSize: PAGE.records,
  columns: commandColumns,
  ifEmpty: 'No commands were sent to the agent',
});

export function commandColumns(context: Context): Column<CommandRecord>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'ACTION', value: ({ action }) => action },
    {
      title: 'STATE',
      value: ({ state }) => state,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    { title: 'GENERATION', value: ({ generation }) => generation },
    { title: 'TRIES', value: ({ attempts }) => attempts },
    { title: 'CREATED', value: (it) => relativeTime(it.created_at, now) },
    { title: 'WHY', value: (it) => it.error ?? it.waiting_reason, fit: 'detail' },
  ];
}
