import { defineCommand } from '../../command.js';
import { findKeyId, keyArgument } from '../../find-key.js';
import { confirm, yesOption } from '../../confirmation.js';
import type { Context } from '../../context.js';
import { printDone } from '../../output/done.js';
import { type MadeByKey, madeByKey, revokeMade } from './made-by-key.js';

export const command = defineCommand({
  arguments: [keyArgument],
  options: [
    yesOption,
    {
      flags: '--made',
      description: 'also revoke the keys of agents that it created, and delete its webhooks',
    },
  ],
  details:
    'The key stops working within a second, for good. Its record stays in the list. If the key created ' +
    'agents or webhooks, svc asks whether to also revoke the keys of those agents and delete those ' +
    'webhooks; without a terminal, --made does it.',
  examples: [
    { command: 'api-keys revoke 0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01', explanation: 'asks first' },
    {
      command: 'api-keys revoke 0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01 --made --yes',
      explanation: 'does not ask, as after a leak',
    },
  ],
  read: (input) => ({
    key: input.argument('key'),
    isConfirmed: input.flag('yes'),
    isMadeToo: input.flag('made'),
  }),
  async run({ key, isConfirmed, isMadeToo }, context) {
    const keyId = await findKeyId(context, key);
    await confirm(context, isConfirmed, () => `Revoke the key ${keyId}? What uses it stops working.`);
    await context.service().DELETE('/api-keys/{key_id}', { params: { path: { key_id: keyId } } });
    printDone(context, { revoked: keyId }, `Revoked the key ${keyId}`);
    const made = await madeByKey(context, keyId);
    if (made.agents.length + made.webhooks.length === 0) return;
    const summary = `It made agents (${made.agents.length}) and webhooks (${made.webhooks.length})`;
    if (isMadeToo || (await isWanted(context, isConfirmed, summary))) {
      await revokeMade(context, made);
      context.terminal.note(`${summary}: the agents' keys are revoked, and the webhooks deleted`);
    } else {
      context.terminal.note(`${summary}: ${listOf(made)}`);
    }
  },
});

async function isWanted(context: Context, isConfirmed: boolean, summary: string): Promise<boolean> {
  if (isConfirmed || !context.terminal.isInteractive) return false;
  const prompts = await context.prompts();
  return prompts.confirm(`${summary}. Revoke the keys of these agents, and delete these webhooks, too?`);
}

function listOf({ agents, webhooks }: MadeByKey): string {
  return [...agents.map((id) => `agent ${id}`), ...webhooks.map((id) => `webhook ${id}`)].join(', ');
}
