import { data } from "@framework/cli/runtime";

/** Leaves the body of the request that its middleware has made. */
export const POST = () => data({ late: true }, { status: 202 });
