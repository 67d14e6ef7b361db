import type { CommandOption } from './command-declaration.js';
import { filled } from './option-values.js';

export const RUNS = ['finish', 'cancel'] as const;
export type Runs = (typeof RUNS)[number];

export const reasonOption: CommandOption = {
  flags: '--reason <text>',
  description: 'why, for people who find the agent paused',
  parse: filled,
};

export const runsOption: CommandOption = {
  flags: '--runs <what>',
  description: 'let current runs finish, or cancel them (default: finish)',
  choices: RUNS,
};
