import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { runInput } from '../runs/run-input.js';
import { printSchedule } from './columns.js';
import { readTerms, termOptions } from './terms.js';

export const command = defineCommand({
  arguments: [agentArgument],
  options: [...termOptions, { flags: '--paused', description: 'create it paused' }],
  examples: [
    {
      command: 'schedules create reporter --cron "0 9 * * MON-FRI" --timezone Europe/Berlin --name daily',
      explanation: 'a run at nine on each working day',
    },
    {
      command: `schedules create cleaner --every 15m --input '{"older_than_days": 30}'`,
      explanation: 'a run every 15 minutes',
    },
  ],
  read(input) {
    const terms = readTerms(input);
    if ((terms.cron === undefined) === (terms.every_seconds === undefined))
      throw new UsageError('--cron or --every says when a run is due: give one of them');
    return {
      agent: input.argument('agent'),
      input: input.text('input'),
      terms: { ...terms, is_active: !input.flag('paused') },
    };
  },
  async run({ agent, input: given, terms }, context) {
    const input = given === undefined ? undefined : await runInput(given, context);
    const path = { agent_id: await findAgentId(context, agent) };
    const body = { ...terms, input };
    printSchedule(
      context,
      await unwrap(context.service().POST('/agents/{agent_id}/schedules', { params: { path }, body })),
    );
  },
});
