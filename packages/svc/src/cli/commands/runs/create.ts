import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { labelOption, readLabels } from '../../label-option.js';
import { filled, integer, laterMoment, type Moment, seconds, timeOf } from '../../option-values.js';
import { readRetry, retryOptions } from '../../retry-options.js';
import { readRunWait, RUN_WAIT_DETAILS, runFollowOption, runWaitOption } from '../../waiting-run.js';
import { INPUT_SOURCES, runInput } from './run-input.js';
import { showAsked } from './show-asked.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [
    { flags: '-i, --input <input>', description: `the input: ${INPUT_SOURCES}` },
    { flags: '--name <name>', description: 'the name of the run', parse: filled },
    labelOption,
    {
      flags: '--priority <number>',
      description: '0 to 9, the highest goes first (default 5)',
      parse: integer(0, 9),
    },
    {
      flags: '--timeout <time>',
      description: 'how long the agent may take: 90s, 5m, 1h (default: no limit)',
      parse: seconds,
    },
    {
      flags: '--start-after <time>',
      description: 'the earliest start: 2026-01-31T09:30:00Z, or 1h for an hour from now',
      parse: laterMoment,
    },
    {
      flags: '--expires-at <time>',
      description: 'when to cancel it if it has not started, in the same form',
      parse: laterMoment,
    },
    ...retryOptions,
    {
      flags: '--conversation <id>',
      description: 'the conversation that it continues: an id of yours',
      parse: filled,
    },
    runWaitOption,
    runFollowOption,
  ],
  details: RUN_WAIT_DETAILS,
  examples: [
    {
      command: `runs create answerer --input '{"question": "How many?"}' --wait`,
      explanation: 'waits, and prints the answer',
    },
    {
      command: 'runs create answerer --input @question.txt --wait 5m > answer.txt',
      explanation: 'a file as input; exits with 1 after five minutes',
    },
    {
      command: 'runs create importer --retry 3 --retry-delay 10s --start-after 1h',
      explanation: 'in an hour, with up to three attempts',
    },
    {
      command: 'runs create reporter --name "daily report" --priority 9 --json id',
      explanation: 'does not wait, and prints only the id, as JSON',
    },
  ],
  read: (input) => ({
    agent: input.argument('agent'),
    input: input.text('input'),
    labels: readLabels(input.list('label') ?? []),
    wait: readRunWait(input, input.flag('follow')),
    named: {
      name: input.text('name'),
      priority: input.number('priority'),
      timeout_seconds: input.number('timeout'),
      conversation_id: input.text('conversation'),
      retry: readRetry(input),
    },
    startAfter: input.value<Moment>('start-after'),
    expiresAt: input.value<Moment>('expires-at'),
  }),
  async run({ agent, input: given, labels, wait, named, startAfter, expiresAt }, context) {
    const input = given === undefined ? undefined : await runInput(given, context);
    const path = { agent_id: await findAgentId(context, agent) };
    const now = context.now();
    const times = { start_after: timeOf(startAfter, now), expires_at: timeOf(expiresAt, now) };
    const body = { ...named, ...times, labels, input };
    const asked = await unwrap(context.service().POST('/agents/{agent_id}/runs', { params: { path }, body }));
    await showAsked(context, asked, wait);
  },
});
