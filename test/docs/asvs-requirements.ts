/**
 * Number of requirements of level 1 and 2 in each section of OWASP ASVS 5.0.0. They are numbered from 1; those of level
 * 3, which are left out here, follow. Sections with only level 3 have none.
 *
 * Source: github.com/OWASP/ASVS, commit 5cf9b032440be53ce345ab3c130fda46ba1ce7a2,
 * 5.0/docs_en/OWASP_Application_Security_Verification_Standard_5.0.0_en.csv (70 of level 1 and 183 of level 2).
 */
const REQUIREMENTS_OF_SECTIONS: Readonly<Record<string, number>> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2 },
  ...{ '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2 },
  ...{ '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1 },
  ...{ '9.1': 3, '9.2': 4 },
  ...{ '10.1': 2, '10.2': 2, '10.3': 4, '10.4': 11, '10.5': 5, '10.6': 2, '10.7': 3 },
  ...{ '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1 },
  ...{ '12.1': 3, '12.2': 2, '12.3': 4 },
  ...{ '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5 },
  ...{ '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7 },
  ...{ '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
  ...{ '17.1': 1, '17.2': 4, '17.3': 2 },
};

/** Requirements of level 1 and 2, in the order of the standard, such as `1.1.1`. */
export const ASVS_REQUIREMENTS: readonly string[] = Object.entries(REQUIREMENTS_OF_SECTIONS).flatMap(
  ([section, count]) => Array.from({ length: count }, (_, index) => `${section}.${index + 1}`),
);
