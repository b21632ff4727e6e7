/** Reader of the slow page. */
export const reader = { hasFirstPart: false };
