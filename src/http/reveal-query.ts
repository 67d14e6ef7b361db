import { FlagParameter } from './request-fields.js';

/** The query of a route that shows a config. */
export class RevealQuery {
  @FlagParameter({
    optional: true,
    default: false,
    description:
      'Shows the values of `env`, except write-only ones, to callers who may change the agent, and to operators. ' +
      'Recorded in the audit log.',
  })
  reveal: boolean = false;
}
