import type { CommandInput } from '../../command.js';
import type { CommandOption } from '../../command-declaration.js';

const LOOP_ACTIONS = ['notify', 'cancel'] as const;
const CAPTURES = ['none', 'tools', 'all'] as const;
const USAGE_CHOICES = ['auto', 'spans', 'metrics', 'reports'] as const;

/** Options of what the service does with an agent's runs, spans and usage. */
export const settingOptions: readonly CommandOption[] = [
  {
    flags: '--on-loop <action>',
    description: 'what to do with a run that repeats a tool call ten times with the same result',
    choices: LOOP_ACTIONS,
  },
  {
    flags: '--capture <content>',
    description: 'what is stored, encrypted, of the content of tool calls and messages',
    choices: CAPTURES,
  },
  {
    flags: '--usage-from <source>',
    description: 'which reports its usage is counted from; auto: the best that it sends',
    choices: USAGE_CHOICES,
  },
];

/** The settings that are given, by the API's names. */
export const readSettings = (input: CommandInput) => ({
  on_loop: input.value<(typeof LOOP_ACTIONS)[number]>('on-loop'),
  capture: input.value<(typeof CAPTURES)[number]>('capture'),
  usage_from: input.value<(typeof USAGE_CHOICES)[number]>('usage-from'),
});
