/** The whole service, as the target of an act in the audit log. */
export const SERVICE = { type: 'service', id: null, projectId: null } as const;
