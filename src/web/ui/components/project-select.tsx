import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';
import { useChosenProjectId } from '../api/chosen-project.js';
import { type Project, useHasSharedProjects, useProjects } from '../api/projects.js';
import { type Scope, useRefusals } from './required-role.js';

export interface ProjectSelectProps extends Pick<SelectProps, 'label' | 'description' | 'error'> {
  /** The right that the user's role in the project must include; the other projects can't be chosen. */
  readonly scope: Scope;
  /** Projects to choose from. */
  readonly projects: readonly Project[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
}

/** A choice of one of the user's projects. */
export function ProjectSelect({ scope, projects, value, onChange, ...shown }: ProjectSelectProps) {
  const refusalIn = useRefusals();
  const data = projects.map(({ id, name }) => {
    const refusal = refusalIn(id, scope);
    const label = refusal === null ? name : `${name}: ${refusal.toLowerCase()}`;
    return { value: id, label, disabled: refusal !== null };
  });
  return (
    <Select
      {...shown}
      data={data}
      allowDeselect={false}
      value={value}
      onChange={(id) => id !== null && onChange(id)}
    />
  );
}

/**
 * The project of something new: the chosen one, or the first whose role allows it. Undefined for users without shared
 * projects, who are not asked.
 */
export function useProjectOfNew(scope: Scope) {
  const { data: projects = [] } = useProjects();
  const chosen = useChosenProjectId();
  const refusalIn = useRefusals();
  const [picked, setPicked] = useState<string>();
  const allowed = projects.filter(({ id }) => refusalIn(id, scope) === null);
  const first = allowed.find(({ id }) => id === chosen) ?? allowed[0];
  const projectId = useHasSharedProjects() ? (picked ?? first?.id) : undefined;
  const field = projectId !== undefined && (
    <ProjectSelect label="Project" scope={scope} projects={projects} value={projectId} onChange={setPicked} />
  );
  return { projectId, field };
}
