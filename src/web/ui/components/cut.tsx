import { TextWithTimes } from './text-with-times.js';

interface CutProps {
  readonly text: string;
  /** The title; absent: the text. */
  readonly whole?: string;
  /** True: times of the service are shown in relation to now. */
  readonly hasTimes?: boolean;
}

/** A text that may be cut; its title is the whole. */
export function Cut({ text, whole = text, hasTimes = false }: CutProps) {
  return <span title={whole}>{hasTimes ? <TextWithTimes text={text} /> : text}</span>;
}
