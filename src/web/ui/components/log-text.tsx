import { memo } from 'react';
import { ansiSegments, type TextSegment, withMatches } from './ansi-segments.js';
import classes from './log-text.module.css';

interface LogTextProps {
  readonly text: string;
  /** Text to mark. */
  readonly searched: string;
}

/** A message with its ANSI colours and the matches of the search. */
export const LogText = memo(function LogText({ text, searched }: LogTextProps) {
  const segments = withMatches(ansiSegments(text), searched);
  if (segments.length === 1 && segments[0]!.text === text && !segments[0]!.isMatch) return text;
  // a line does not change, so a segment's place is its identity
  return segments.map((segment, index) => <Segment key={index} segment={segment} />);
});

function Segment({ segment }: { readonly segment: TextSegment }) {
  const { text, color, background, isMatch = false } = segment;
  if (isMatch) return <mark className={classes.match}>{text}</mark>;
  const className = segment.classes.flatMap((name) => classes[name] ?? []).join(' ');
  return (
    <span className={className || undefined} style={{ color, backgroundColor: background }}>
      {text}
    </span>
  );
}
