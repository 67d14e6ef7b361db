import { TextWithTimes } from './text-with-times.js';

interface CutProps {
  readonly text: string;
  /** True: times of the service are shown in relation to now. */
  readonly hasTimes?: boolean;
}

/** A text that may be cut; its title is the whole. */
export function Cut({ text, hasTimes = false }: CutProps) {
  return <span title={text}>{hasTimes ? <TextWithTimes text={text} /> : text}</span>;
}
