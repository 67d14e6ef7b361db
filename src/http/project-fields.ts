import { IdField } from './request-fields.js';

/** Accepts the project to which a list is narrowed. */
export const ProjectParameter = () =>
  IdField({ optional: true, description: "One of the caller's projects. Default: all of them." });

/** Accepts the project of something new. */
export const ProjectField = () =>
  IdField({
    optional: true,
    description:
      "One of the caller's projects. Default: the personal one or, for a project's key, its project.",
    example: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  });
