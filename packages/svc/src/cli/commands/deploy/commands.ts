import type { CommandRecord } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { deploymentArgument, findDeploymentId } from '../../find-deployment.js';
import type { Context } from '../../context.js';
import { paintStatus } from '../../output/paint.js';
import { relativeTime } from '../../output/relative-time.js';
import { type Column, printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';

const STATES = ['pending', 'leased', 'succeeded', 'failed', 'dead', 'superseded'] as const;

export const command = defineCommand({
  arguments: [deploymentArgument],
  options: [
    { flags: '--state <state>', description: 'only those in this state', choices: STATES },
    ...pageOptions,
  ],
  details:
    'What was asked of the agent for this deployment, what became of it, and what a command waits for.',
  examples: [
    {
      command: 'deploy commands 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5 --state pending',
      explanation: 'why nothing happens',
    },
    {
      command: 'deploy commands 0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
      explanation: 'all that was asked, newest first',
    },
  ],
  read: (input) => ({
    deployment: input.argument('deployment'),
    state: input.value<CommandRecord['state']>('state'),
    page: readPageOptions(input),
  }),
  async run({ deployment, state, page }, context) {
    const deploymentId = await findDeploymentId(context, deployment);
    const service = context.service();
    const path = { deployment_id: deploymentId };
    const list = await readPages(page, PAGE.records, (query) =>
      service.GET('/deployments/{deployment_id}/commands', {
        params: { path, query: { ...query, state } },
      }),
    );
    printList(context, {
      ...list,
      columns: columns(context),
      ifEmpty: 'Nothing has been asked of the agent',
    });
  },
});

function columns(context: Context): Column<CommandRecord>[] {
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
