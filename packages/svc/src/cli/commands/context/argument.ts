import type { CommandArgument } from '../../command-declaration.js';
import { filled } from '../../option-values.js';

export const contextArgument: CommandArgument = {
  name: 'context',
  description: 'its name or its address',
  completes: 'context',
  parse: filled,
};
