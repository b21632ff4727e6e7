export const GET = (): { known: boolean } => ({ known: true });
