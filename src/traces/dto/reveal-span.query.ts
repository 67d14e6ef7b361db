import { FlagParameter } from '../../http/request-fields.js';

export class RevealSpanQuery {
  @FlagParameter({
    optional: true,
    default: false,
    description:
      'Shows the stored content of the span to callers who may change the agent. Recorded in the audit log.',
  })
  reveal: boolean = false;
}
