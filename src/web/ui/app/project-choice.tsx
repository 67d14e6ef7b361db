import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { User } from '@agent-control-plane/client';
import { ChosenProject } from '../api/chosen-project.js';
import { useProjects } from '../api/projects.js';

const PARAMETER = 'project';

/** Chooses a project; undefined: all. */
const Choose = createContext<(id: string | undefined) => void>(() => undefined);

export const useChooseProject = () => useContext(Choose);

export interface ProjectChoiceProps {
  readonly user: User;
  readonly children: ReactNode;
}

/**
 * Holds the chosen project, to which lists are narrowed. It is in the address, so that a link and the button "back" show
 * the same rows, and in this browser's storage for the next visit. Links of the dashboard need not carry it: a missing
 * parameter is added.
 */
export function ProjectChoice({ user, children }: ProjectChoiceProps) {
  const key = `project-${user.id}`;
  const { data: projects } = useProjects();
  const [search, setSearch] = useSearchParams();
  const inAddress = search.get(PARAMETER);
  const [seen, setSeen] = useState<string | null>(null);
  const [choice, setChoice] = useState<string | undefined>(() => localStorage.getItem(key) ?? undefined);
  if (inAddress !== seen) {
    setSeen(inAddress);
    if (inAddress !== null) setChoice(inAddress);
  }
  const isKnown = projects === undefined || (projects.length > 1 && projects.some(({ id }) => id === choice));
  const chosen = isKnown ? choice : undefined;
  useEffect(() => {
    if (chosen === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, chosen);
  }, [key, chosen]);
  useEffect(() => {
    if (inAddress === (chosen ?? null)) return;
    setSearch(
      (now) => {
        if (chosen === undefined) now.delete(PARAMETER);
        else now.set(PARAMETER, chosen);
        return now;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [inAddress, chosen, setSearch]);
  return (
    <Choose value={setChoice}>
      <ChosenProject value={chosen}>{children}</ChosenProject>
    </Choose>
  );
}
