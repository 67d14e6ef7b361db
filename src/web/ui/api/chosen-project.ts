import { createContext, useContext } from 'react';

/** Id of the project to which all lists are narrowed; undefined: all projects of the user. */
export const ChosenProject = createContext<string | undefined>(undefined);

export const useChosenProjectId = (): string | undefined => useContext(ChosenProject);
