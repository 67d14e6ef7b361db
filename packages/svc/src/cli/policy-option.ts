import type { CommandOption } from './command-declaration.js';
import { filled } from './option-values.js';

/** The same for all commands that obey a policy, or ask it. */
export const policyOption: CommandOption = {
  flags: '--policy <file>',
  description: 'rules about what may be started, in addition to /etc/svc/run.yaml',
  parse: filled,
};
