export default { experimental: { authInterrupts: true }, turbopack: { root: import.meta.dirname } };
