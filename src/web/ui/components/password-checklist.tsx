import { IconCheck, IconPointFilled } from '@tabler/icons-react';
import classes from './password-checklist.module.css';
import { type CheckedRule, checkPassword } from './password-rules.js';

/** Returns true if a rule is shown: the maximum length only when it is exceeded. */
const isOfInterest = ({ name, holds }: CheckedRule): boolean => !holds || !name.startsWith('at most');

/** Rules of a password, marked as fulfilled while a person types. */
export function PasswordChecklist({ password, id }: { readonly password: string; readonly id: string }) {
  return (
    <ul className={classes.rules} id={id} aria-label="A password has">
      {checkPassword(password)
        .filter(isOfInterest)
        .map(({ name, holds }) => {
          const isMet = holds && password !== '';
          return (
            <li key={name} data-is-met={isMet}>
              {isMet ? <IconCheck size={14} aria-hidden /> : <IconPointFilled size={14} aria-hidden />}
              {name}
              <span className="visually-hidden">{isMet ? ' (done)' : ' (missing)'}</span>
            </li>
          );
        })}
    </ul>
  );
}
