import { FlagParameter } from '../../http/request-fields.js';

export class RevealSpanQuery {
  @FlagParameter({
    optional: true,
    default: false,
    description:
      'Shows the content that is kept of the span to whoever may change the agent. The audit log has an entry of each time.',
  })
  reveal: boolean = false;
}
