import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './copy-button.js';
import { counted } from './counted.js';
import { foldAt, JSON_TEXT, partsOf, withShortTexts } from './folded-text.js';
import { shownParts } from './hidden-characters.js';
import classes from './exact-text.module.css';

/** A text of another person, on its own side of what stands around it. Nothing in it is markup, a control or a direction. */
export function ShownText({ text }: { readonly text: string }) {
  return <bdi>{marked(text)}</bdi>;
}

/** The parts of a text; a character that people would not see has its number in place. */
function marked(text: string) {
  return shownParts(text).map((part, index) =>
    part.isMark ? (
      <span key={index} className={classes.mark} title="A character that shows nothing by itself">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}

/** Indented JSON. Each of its texts is on its own side: letters that run from right to left would else move what follows. */
export function JsonText({ json }: { readonly json: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: text, index } of json.matchAll(JSON_TEXT)) {
    const after = index + text.length;
    const kind = /^\s*:/.test(json.slice(after, after + 2)) ? classes.name : classes.text;
    parts.push(json.slice(end, index));
    parts.push(
      <bdi key={index} className={kind}>
        {partsOf(text).map((part, place) =>
          typeof part === 'string' ? (
            marked(part)
          ) : (
            <span key={place} className={classes.cut}>{` … ${counted(part, 'more character')} `}</span>
          ),
        )}
      </bdi>,
    );
    end = after;
  }
  return (
    <>
      {parts}
      {json.slice(end)}
    </>
  );
}

interface ExactJsonProps {
  readonly value: unknown;
  /** Kind of the value: `arguments`. */
  readonly what: string;
}

/** A JSON value as it is, to be read at a glance; long texts fold, each by itself. */
export function ExactJson({ value, what }: ExactJsonProps) {
  const json = JSON.stringify(value, null, 2);
  return (
    <Folded text={json} short={withShortTexts(json)} what={what}>
      {(shown) => (
        <div className={classes.block}>
          <pre className={classes.json}>
            <JsonText json={shown} />
          </pre>
          <CopyButton value={json} what={what} />
        </div>
      )}
    </Folded>
  );
}

interface ProseProps {
  readonly text: string;
  /** Kind of the text: `description`. */
  readonly what: string;
}

/** Words of another person, with their line breaks; long texts fold. */
export function Prose({ text, what }: ProseProps) {
  return (
    <Folded text={text} short={text} what={what}>
      {(shown) => (
        <p className={classes.prose}>
          <ShownText text={shown} />
        </p>
      )}
    </Folded>
  );
}

interface FoldedProps {
  readonly text: string;
  /** The text that folds. */
  readonly short: string;
  readonly what: string;
  readonly children: (shown: string) => ReactNode;
}

function Folded({ text, short, what, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  const folded = short.slice(0, foldAt(short));
  return (
    <div className={classes.folded}>
      {children(isOpen ? text : folded)}
      {folded !== text && (
        <Button size="compact-xs" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Fold the ${what}` : `Show all ${counted(text.length, 'character')} of the ${what}`}
        </Button>
      )}
    </div>
  );
}
