import { Group, Select, Text } from '@mantine/core';
import { useChosenProjectId } from '../api/chosen-project.js';
import { useProject, useProjects } from '../api/projects.js';
import { useChooseProject } from './project-choice.js';

const ALL = 'all';

/** The choice of the project to which all lists are narrowed. */
export function ProjectSwitch() {
  const { data: projects = [] } = useProjects();
  const chosenId = useChosenProjectId();
  const choose = useChooseProject();
  const chosen = useProject(chosenId);
  const roles = new Map(projects.map(({ id, role }) => [id, role]));
  return (
    <Select
      aria-label="Project"
      description={chosen?.role && `Your role: ${chosen.role}`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={[
        { value: ALL, label: 'All projects' },
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      allowDeselect={false}
      value={chosenId ?? ALL}
      onChange={(value) => choose(value === ALL || value === null ? undefined : value)}
      renderOption={({ option }) => (
        <Group justify="space-between" gap="xs" wrap="nowrap" flex={1} miw={0}>
          <Text span size="sm" truncate title={option.label}>
            {option.label}
          </Text>
          {roles.has(option.value) && (
            <Text span size="xs" c="dimmed">
              {roles.get(option.value)}
            </Text>
          )}
        </Group>
      )}
      // The list itself scrolls: a scrolling box within it would have to be focusable.
      withScrollArea={false}
      styles={{ options: { maxHeight: 320, overflowY: 'auto' } }}
      // inside the landmark of the navigation, to which its options belong
      comboboxProps={{ withinPortal: false }}
    />
  );
}
