import { FlagParameter } from './request-fields.js';

/** The query of a route that shows a config. */
export class RevealQuery {
  @FlagParameter({
    optional: true,
    default: false,
    description:
      'Shows the values of `env`, but for the write-only ones, to whoever may change the agent, and to operators. The audit ' +
      'log has an entry of each time.',
  })
  reveal: boolean = false;
}
