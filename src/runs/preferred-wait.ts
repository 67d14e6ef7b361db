import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { requestOf } from '../access/http-context.js';
import { LONGEST_WAIT_SECONDS } from './dto/run.requests.js';

/** Only documented: Node bounds the headers of a request together. */
const MAXIMUM_HEADER = 1_000;
/** The preference of RFC 7240, section 4.3, among others that the header may hold. */
const WAIT = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})"?(?=$|[,;\s])/i;

const WaitOf = createParamDecorator((_: unknown, context: ExecutionContext): number =>
  preferredWait(requestOf(context).headers.prefer),
);

/** The seconds that the header `Prefer` asks to wait; 0 without it. The route's documentation has the header. */
export function PreferredWait(): ParameterDecorator {
  const document = ApiHeader({
    name: 'Prefer',
    required: false,
    description: `\`wait=N\`: wait up to N seconds for the end, at most ${LONGEST_WAIT_SECONDS}. Other preferences are ignored.`,
    schema: { type: 'string', maxLength: MAXIMUM_HEADER, example: 'wait=30' },
  });
  return (target, name, index) => {
    WaitOf()(target, name, index);
    document(target, name!, Object.getOwnPropertyDescriptor(target, name!) as PropertyDescriptor);
  };
}

/** Reads `Prefer: wait=N`. A preference is no demand, so what can't be read is ignored. Pure. */
export function preferredWait(header: string | string[] | undefined): number {
  const found = WAIT.exec([header ?? ''].flat().join(','));
  return found ? Math.min(Number(found[1]), LONGEST_WAIT_SECONDS) : 0;
}
