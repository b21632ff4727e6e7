import { fail, redirect } from "@sveltejs/kit";

export const actions = {
  default: async ({ request }) => {
    const title = String((await request.formData()).get("title") ?? "");
    if (title === "") return fail(422, { error: "Please enter a title." });
    redirect(303, "/");
  },
};
