import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './steps.module.css';

export interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'done' | 'now' | 'later';
  readonly children?: ReactNode;
}

/** One step of a list of steps. */
export function Step({ number, title, state, children }: StepProps) {
  return (
    <li className={classes.step} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={classes.mark} aria-hidden>
        {state === 'done' ? <IconCheck size={16} /> : number}
      </span>
      <div className={classes.body}>
        <h2 className={classes.title} tabIndex={-1}>
          {title}
          {state === 'done' && <span className="visually-hidden"> (done)</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}

export function Steps({ children }: { readonly children: ReactNode }) {
  return <ol className={classes.steps}>{children}</ol>;
}
