import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './fact-list.module.css';

/** Short facts about a resource, side by side. */
export function FactList({
  label = 'Facts',
  children,
}: {
  readonly label?: string;
  readonly children: ReactNode;
}) {
  return (
    <dl className={classes.facts} aria-label={label}>
      {children}
    </dl>
  );
}

export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className={classes.term}>{term}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}

/** A fact that leads to another page. */
export function FactLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className={classes.link}>
      {children}
    </Link>
  );
}

/** Labels that lead to the runs that have them; nothing if there are none. */
export function LabelsFact({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  const texts = Object.entries(labels).map(([key, value]) => `${key}:${value}`);
  if (texts.length === 0) return null;
  return (
    <Fact term="Labels">
      <span className={classes.labels}>
        {texts.map((text) => (
          <FactLink key={text} to={`/runs?label=${encodeURIComponent(text)}`}>
            {text}
          </FactLink>
        ))}
      </span>
    </Fact>
  );
}
