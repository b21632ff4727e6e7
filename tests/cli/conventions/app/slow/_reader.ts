/** Who reads the slow page. */
export const reader = { hasFirstPart: false };
