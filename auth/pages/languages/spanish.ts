/**
 * The pages and mails in Spanish.
 *
 * @module
 */

import type { PageLanguage } from "../language.ts";

/**
 * Spanish, for `languages` of `pageTheme()`.
 *
 * @example
 * ```ts
 * import { pageTheme } from "@framework/auth";
 * import { spanish } from "@framework/auth/languages";
 * import { equal } from "node:assert/strict";
 *
 * pageTheme({ languages: [spanish], language: "es" });
 * equal(spanish.tag, "es");
 * ```
 */
export const spanish: PageLanguage = {
  tag: "es",
  texts: {
    "API key created": "Clave de API creada",
    "API key replaced": "Clave de API reemplazada",
    "API key revoked": "Clave de API revocada",
    "API keys": "Claves de API",
    "API keys do not count here. Sign in with a browser.":
      "Las claves de API no valen aquí. Inicia sesión con un navegador.",
    "Copy your API key": "Copia tu clave de API",
    "Create an API key": "Crear una clave de API",
    "Create key": "Crear clave",
    "Created by {name}": "Creada por {name}",
    "Ended": "Caducada",
    "Ends": "Caduca",
    "Ends {date}": "Caduca el {date}",
    "Everything": "Todo",
    "For programs that use your data without you. You can revoke each one on its own.":
      "Para programas que usan tus datos sin ti. Cada clave se puede revocar por separado.",
    "I have copied it": "Ya la he copiado",
    "In 30 days": "En 30 días",
    "In 90 days": "En 90 días",
    "In a year": "En un año",
    "It is shown only now. Whoever has it can use it, so keep it like a password.":
      "Solo se muestra ahora. Quien la tenga puede usarla: guárdala como una contraseña.",
    "Name of the key": "Nombre de la clave",
    "Never": "Nunca",
    "Never used": "Nunca usada",
    "No API keys yet.": "Aún no hay claves de API.",
    "Replace": "Reemplazar",
    "Revoke": "Revocar",
    "{inviter} invites you to join {team}.": "{inviter} te invita a unirte a {team}.",
    "{team} on {app}": "{team} en {app}",
    "A suspended team keeps its owner. The people who run this site can make somebody else the owner.":
      "Un equipo suspendido conserva su propietario. Los responsables de este sitio pueden nombrar a otra persona.",
    "A team keeps an owner. Make somebody else the owner first.":
      "Un equipo siempre conserva un propietario. Nombra antes a otra persona.",
    "Confirm this address and join": "Confirmar esta dirección y unirse",
    "Confirm this address on your account page, then open the link once more.":
      "Confirma esta dirección en la página de tu cuenta y abre el enlace otra vez.",
    "Create account and join": "Crear una cuenta y unirse",
    "Create the team": "Crear el equipo",
    "Don’t know this team? Close this page. Nothing happens until you press the button.":
      "¿No conoces este equipo? Cierra esta página. No pasa nada hasta que pulses el botón.",
    "You get this email because {address} was invited. Don’t know this team? You can ignore it; nobody joins without the link.":
      "Recibes este correo porque se ha invitado a {address}. ¿No conoces este equipo? Puedes ignorarlo; sin el enlace nadie se une.",
    "Give the team a name of 1 to 200 characters.": "Da al equipo un nombre de 1 a 200 caracteres.",
    "Go on to search the rest.": "Continúa para buscar en el resto.",
    "Invitations": "Invitaciones",
    "Invite by email": "Invitar por correo",
    "It works once, and not for ever. Ask for a new one.":
      "Sirve una vez y no para siempre. Pide otra.",
    "Join the team": "Unirse al equipo",
    "Join {team}": "Únete a {team}",
    "Join {team}?": "¿Unirte a {team}?",
    "Leave the team": "Dejar el equipo",
    "Leave {team}": "Dejar {team}",
    "Make the owner": "Nombrar propietario",
    "Members": "Miembros",
    "More": "Más",
    "Name of the new team": "Nombre del nuevo equipo",
    "Nobody found": "No se ha encontrado a nadie",
    "You can come back only by a new invitation.": "Solo podrás volver con una nueva invitación.",
    "Open": "Abrir",
    "Remove from the team": "Quitar del equipo",
    "Role": "Rol",
    "Save role": "Guardar el rol",
    "Search": "Buscar",
    "Search by name or address": "Buscar por nombre o dirección",
    "See the invitation": "Ver la invitación",
    "Send again": "Enviar otra vez",
    "Send the invitation": "Enviar la invitación",
    "Sign in as {address} to join.": "Accede como {address} para unirte.",
    "Somebody without a name": "Alguien sin nombre",
    "Switch": "Cambiar",
    "The invitation is on its way.": "La invitación está en camino.",
    "The invitation is revoked.": "La invitación está anulada.",
    "The link goes to the invited mailbox and nowhere else.":
      "El enlace va al buzón invitado y a ningún otro sitio.",
    "The team has a new owner.": "El equipo tiene un nuevo propietario.",
    "Your team is ready.": "Tu equipo está listo.",
    "They are no longer a member.": "Ya no es miembro.",
    "They are not a member of this team.": "Esta persona no es miembro de este equipo.",
    "This invitation no longer works": "Esta invitación ya no sirve",
    "You get an account for {address} and are signed in.":
      "Se crea una cuenta para {address} y se inicia tu sesión.",
    "This team": "Este equipo",
    "This team is suspended. Ask the people who run this site.":
      "Este equipo está suspendido. Consulte a los responsables de este sitio.",
    "{name} is signed in as you": "{name} ha iniciado sesión como tú",
    "You act for {name}": "Actúa en nombre de {name}",
    "End access": "Terminar el acceso",
    "No one from support is signed in as you.": "Nadie de soporte ha iniciado sesión como tú.",
    "Access by our support": "Acceso de nuestro soporte",
    "To help you, our support can use the app as you. They can’t change how you sign in.":
      "Para ayudarte, nuestro soporte puede usar la aplicación como tú. No puede cambiar cómo inicias sesión.",
    "Sign in as this user": "Iniciar sesión como esta persona",
    "This user has rights in a team that you don’t have, so you can’t sign in as them.":
      "Esta persona tiene en un equipo permisos que tú no tienes, así que no puede iniciar sesión como ella.",
    "Only {name} can change this account.": "Solo {name} puede cambiar esta cuenta.",
    "See the app as they do. You can’t change how they sign in, and they can see that you were there, and why.":
      "Mira la aplicación como esta persona. No puede cambiar cómo inicia sesión, y ella ve que tú estuviste ahí y por qué.",
    "Reason, such as a ticket number": "Motivo, como el número de una consulta",
    "Time": "Duración",
    "You act for {name} until {date}. What you do is recorded.":
      "Actúa en nombre de {name} hasta el {date}. Lo que hace queda registrado.",
    "Stop": "Terminar",
    "An administrator signed in as you": "Un administrador entró como tú",
    "The administrator’s sign-in as you ended": "Terminó la sesión del administrador como tú",
    "Only the owner of the account can do this. Stop acting for them first.":
      "Solo el titular de la cuenta puede hacer esto. Deja primero de actuar en su nombre.",
    "Give a reason of 1 to 200 characters": "Indica un motivo de 1 a 200 caracteres",
    "Choose a time of one minute to one hour": "Elige una duración de un minuto a una hora",
    "Keys that they made still work: {names}. {link}":
      "Las claves que creó siguen funcionando: {names}. {link}",
    "Look at the keys": "Ver las claves",
    "Until {date}": "Hasta el {date}",
    "Yes, leave": "Sí, dejarlo",
    "You": "Tú",
    "You’re not in a team yet.": "Aún no estás en ningún equipo.",
    "You are invited to join {team}.": "Tienes una invitación para unirte a {team}.",
    "You are not a member of this team.": "No eres miembro de este equipo.",
    "You have left the team.": "Has dejado el equipo.",
    "Your role there: {roles}.": "Tu rol allí: {roles}.",
    "Your teams": "Tus equipos",
    "You’re a member now.": "Ya eres miembro.",
    "You’re a member now. Add your name and a way to sign in on {account}.":
      "Ya eres miembro. Añade tu nombre y una forma de iniciar sesión en {account}.",
    "your account page": "la página de tu cuenta",
    "You’re a member of {team}": "Ya eres miembro de {team}",
    "You’re signed in as {user}. This invitation is for {address}.":
      "Has accedido como {user}. Esta invitación es para {address}.",
    "Support removed your two-step sign-in": "Soporte ha quitado el acceso en dos pasos",
    "The key before works until {date}": "La clave anterior funciona hasta el {date}",
    "Active": "Activa",
    "About": "Resumen",
    "All devices are signed out.": "Se ha cerrado la sesión en todos los dispositivos.",
    "All users": "Todos los usuarios",
    "Allows new sign-ins.": "Permite iniciar sesión de nuevo.",
    "Any role": "Cualquier rol",
    "Block": "Bloquear",
    "Block or delete": "Bloquear o eliminar",
    "Blocked": "Bloqueada",
    "Changed by an administrator": "Modificada por un administrador",
    "Delete this account?": "¿Eliminar esta cuenta?",
    "Ends its password, passkeys and connected accounts, then unblocks it. A link to its email address opens it.":
      "Elimina la contraseña, las claves de acceso y las cuentas conectadas y la desbloquea. Un enlace a su dirección de correo la abre.",
    "First page": "Primera página",
    "Give a stolen account back": "Devolver una cuenta robada",
    "Give back": "Devolver",
    "Help signing in": "Ayuda para iniciar sesión",
    "Joined": "Alta",
    "Name, email or ID": "Nombre, correo o ID",
    "Next page": "Página siguiente",
    "No roles.": "Sin roles.",
    "Nobody on this page. Only the beginning of a name or an address is searched.":
      "Nadie en esta página. Solo se busca por el comienzo de un nombre o una dirección.",
    "Not signed in anywhere.": "Sin sesiones abiertas.",
    "Pages": "Páginas",
    "Roles": "Roles",
    "Sends a link by email.": "Envía un enlace por correo.",
    "Sends a link by email. The old password works until it is used.":
      "Envía un enlace por correo. La contraseña anterior vale hasta que se use.",
    "Show everyone": "Mostrar a todos",
    "Sign out everywhere": "Cerrar sesión en todas partes",
    "Signs out everywhere and refuses new sign-ins. You can undo this.":
      "Cierra todas las sesiones y rechaza nuevos inicios. Se puede deshacer.",
    "Status": "Estado",
    "The account is blocked.": "La cuenta está bloqueada.",
    "The account is deleted.": "La cuenta se ha eliminado.",
    "The account is unblocked.": "La cuenta está desbloqueada.",
    "The account is unblocked. Only a link by email opens it now.":
      "La cuenta está desbloqueada. Ahora solo la abre un enlace por correo.",
    "The link is on its way.": "El enlace está en camino.",
    "This account has no address that a link could be sent to":
      "Esta cuenta no tiene una dirección a la que enviar un enlace",
    "This account has rights that you don’t have, so you can’t change it.":
      "Esta cuenta tiene permisos que tú no tienes, así que no puedes modificarla.",
    "This cannot be undone: the account of {address} is deleted with its passkeys, connected accounts and memberships, and its sessions end.":
      "No se puede deshacer: se elimina la cuenta de {address} con sus claves de acceso, cuentas conectadas y pertenencias, y sus sesiones terminan.",
    "This is your own account. Another administrator can change it here.":
      "Esta es tu propia cuenta. Otro administrador puede modificarla aquí.",
    "To make changes, {signIn}.": "Para hacer cambios, {signIn}.",
    "Unblock": "Desbloquear",
    "User ID": "ID",
    "Users": "Usuarios",
    "Ways to sign in": "Formas de iniciar sesión",
    "You can give and take the roles whose rights you have yourself.":
      "Puedes dar y quitar los roles cuyos permisos tienes.",
    "This takes your password or a passkey: a link or code by email is not enough, nor is a password that is newer than your last code.":
      "Para esto hace falta tu contraseña o una clave de acceso: un enlace o código por correo no basta, ni una contraseña más reciente que tu último código.",
    "There is no request that has taken effect.": "No hay ninguna solicitud que ya tenga efecto.",
    "Sign-in without the second step asked for": "Solicitado el acceso sin el segundo paso",
    "Request to sign in without the second step cancelled":
      "Solicitud de acceso sin el segundo paso cancelada",
    "Somebody asked to sign in without your second step":
      "Alguien ha pedido entrar sin tu segundo paso",
    "The request to sign in without your second step was cancelled":
      "Se ha cancelado la solicitud de entrar sin tu segundo paso",
    "From {date} on, whoever knows your password can sign in without it and remove it.":
      "A partir del {date}, quien conozca tu contraseña podrá entrar sin él y quitarlo.",
    "Not you? Cancel it, then choose a new password: somebody knows yours.":
      "¿No has sido tú? Cancélala y elige una contraseña nueva: alguien conoce la tuya.",
    "If you did not ask for it, somebody knows your password: choose a new one.":
      "Si no fuiste tú quien la hizo, alguien conoce tu contraseña: elige una nueva.",
    "If you asked for it and somebody else cancelled it, sign out everywhere else, then change how you sign in.":
      "Si la hiciste tú y la canceló otra persona, cierra la sesión en los demás sitios y cambia después tu forma de iniciar sesión.",
    "Signing in still takes your second step.":
      "Para iniciar sesión sigue haciendo falta tu segundo paso.",
    "Cancel the request": "Cancelar la solicitud",
    "The request is cancelled.": "La solicitud está cancelada.",
    "Continue without the second step": "Continuar sin el segundo paso",
    "Continue without the second step?": "¿Continuar sin el segundo paso?",
    "Lost your second step?": "¿Has perdido tu segundo paso?",
    "Ask to sign in without the second step": "Pedir entrar sin el segundo paso",
    "It takes effect after {time}. We tell you at once by email and wherever you are signed in; from there it can be cancelled.":
      "Tiene efecto después de {time}. Te avisamos enseguida por correo y donde tengas la sesión abierta; desde ahí se puede cancelar.",
    "Send the request": "Enviar la solicitud",
    "We have your request": "Tenemos tu solicitud",
    "Sign in again between {from} and {until}, then you can continue without the second step. A new password ends the request.":
      "Vuelve a entrar entre el {from} y el {until}: entonces podrás continuar sin el segundo paso. Una contraseña nueva termina la solicitud.",
    "Your authenticator app, recovery codes and trusted browsers are removed, and your other sessions end. Then set up two-step sign-in again.":
      "Se quitan tu aplicación de autenticación, tus códigos de recuperación y tus navegadores de confianza, y terminan tus otras sesiones. Después vuelve a configurar el acceso en dos pasos.",
    "Remove and continue": "Quitar y continuar",
    "The request was cancelled": "La solicitud se ha cancelado",
    "You can ask again from {date} on.": "Podrás volver a pedirlo a partir del {date}.",
    "Back to the second step": "Volver al segundo paso",
    "Two-step sign-in has been changed meanwhile. Start again.":
      "El acceso en dos pasos ha cambiado entretanto. Empieza de nuevo.",
    "Confirm the second step to continue": "Confirma el segundo paso para continuar",
    "A session of yours was copied": "Se ha copiado una de tus sesiones",
    "Bound to this device: a copy of its cookies soon opens nothing.":
      "Vinculada a este dispositivo: una copia de sus cookies pronto no abre nada.",
    "Checking this device": "Comprobando este dispositivo",
    "Does this page stay? Then sign out here, and sign in again.":
      "¿Esta página no desaparece? Cierra la sesión aquí y vuelve a iniciarla.",
    "It has ended. Sign in again.": "Ha terminado. Vuelve a iniciar sesión.",
    "Look for malware on your device, then change how you sign in.":
      "Busca software malicioso en tu dispositivo y cambia después tu forma de iniciar sesión.",
    "Not bound: this browser cannot bind sessions to its device, or has not done it.":
      "No vinculada: este navegador no puede vincular sesiones a su dispositivo, o no lo ha hecho.",
    "Somebody had its cookie and tried to use it without your device. The session has ended.":
      "Alguien tenía su cookie e intentó usarla sin tu dispositivo. La sesión ha terminado.",
    "This device": "Este dispositivo",
    "This device is being checked. Send it again":
      "Se está comprobando este dispositivo. Vuelve a enviarlo.",
    "This needs a session that is bound to its device. Sign in with a browser that can do that":
      "Para esto la sesión debe estar vinculada a su dispositivo. Inicia sesión con un navegador que lo permita.",
    "This session": "Esta sesión",
    "What will use it, such as “Nightly export”.":
      "Qué la usará, por ejemplo «Exportación nocturna».",
    "You are signed in on this device. This takes a moment.":
      "Has iniciado sesión en este dispositivo. Esto tarda un momento.",
    "You are signed out everywhere. Sign in, then turn it on again.":
      "Se ha cerrado tu sesión en todas partes. Inicia sesión y vuelve a activarlo.",
    "You didn’t ask for it? Tell support at once, and change how you sign in: somebody may have pretended to be you.":
      "¿No lo has pedido? Avisa enseguida a soporte y cambia tu forma de acceder: alguien puede haberse hecho pasar por ti.",
    "You get this email whenever that happens. It can’t be turned off.":
      "Recibe este correo siempre que ocurre. No se puede desactivar.",
    "Set up two-step sign-in to continue": "Configura el acceso en dos pasos",
    "Enter your code": "Escribe tu código",
    "Open your authenticator app and enter the six digits it shows.":
      "Abre tu aplicación de autenticación y escribe los seis dígitos que muestra.",
    "That code is wrong, or it has been used before. Wait for the next one and try again.":
      "Ese código es incorrecto o ya se ha usado. Espera al siguiente e inténtalo de nuevo.",
    "That recovery code is wrong, or it has been used before.":
      "Ese código de recuperación es incorrecto o ya se ha usado.",
    "There have been too many wrong codes today. Use a recovery code, or a passkey if you have one.":
      "Hoy ha habido demasiados códigos incorrectos. Usa un código de recuperación, o una clave de acceso si tienes una.",
    "Trust this browser for {time}": "Confiar en este navegador durante {time}",
    "Not on a computer that other people use.": "No en un ordenador que usen otras personas.",
    "Use a recovery code": "Usar un código de recuperación",
    "One of the codes you saved when you set up two-step sign-in. Each works once.":
      "Uno de los códigos que guardaste al configurar el acceso en dos pasos. Cada uno sirve una vez.",
    "Recovery code": "Código de recuperación",
    "Sixteen letters and digits. Capitals and dashes don’t matter.":
      "Dieciséis letras y dígitos. No importan las mayúsculas ni los guiones.",
    "Use your authenticator app": "Usar la aplicación de autenticación",
    "Too many wrong codes ended this sign-in. Start again.":
      "Demasiados códigos incorrectos han terminado este inicio de sesión. Empieza de nuevo.",
    "Unknown browser": "Navegador desconocido",
    "This sign-in took too long. Start again.":
      "Este inicio de sesión ha tardado demasiado. Empieza de nuevo.",
    "Set up two-step sign-in": "Configurar el acceso en dos pasos",
    "After this, signing in takes a code from your phone as well.":
      "Después, para iniciar sesión también hará falta un código de tu teléfono.",
    "Get an authenticator app.": "Consigue una aplicación de autenticación.",
    "Your phone or password manager may have one built in.":
      "Puede que tu teléfono o tu gestor de contraseñas ya tenga una.",
    "Scan this with it.": "Escanea esto con ella.",
    "QR code for your authenticator app": "Código QR para la aplicación",
    "Is the app on this device? Open it, or enter this key in it.":
      "¿La aplicación está en este dispositivo? Ábrela o escribe en ella esta clave.",
    "Open in an authenticator app": "Abrir en la aplicación",
    "Enter the six digits it shows": "Escribe los seis dígitos que muestra",
    "Turn on": "Activar",
    "Not now": "Ahora no",
    "Save your recovery codes": "Guarda tus códigos de recuperación",
    "If you lose your phone, one of these gets you in. Each works once. They are shown only now.":
      "Si pierdes tu teléfono, podrás entrar con uno de estos. Cada uno sirve una vez. Solo se muestran ahora.",
    "Two-step sign-in is on.": "El acceso en dos pasos está activado.",
    "Two-step sign-in is off.": "El acceso en dos pasos está desactivado.",
    "Copy": "Copiar",
    "Copied": "Copiado",
    "Recovery codes": "Códigos de recuperación",
    "Two-step sign-in": "Acceso en dos pasos",
    "Authenticator app": "Aplicación de autenticación",
    "On": "Activado",
    "Since {date}": "Desde el {date}",
    "Not set up yet.": "Aún sin configurar.",
    "Set up": "Configurar",
    "Manage": "Gestionar",
    "Turn off": "Desactivar",
    "Yes, turn off": "Sí, desactivar",
    "Signing in then takes one step. Your recovery codes and trusted browsers no longer count, and your other sessions end.":
      "El acceso tendrá un solo paso. Tus códigos de recuperación y navegadores de confianza ya no valdrán, y tus demás sesiones terminarán.",
    "Recovery codes left: {n}": "Códigos de recuperación restantes: {n}",
    "Make new codes": "Crear códigos nuevos",
    "Yes, make new codes": "Sí, crear códigos nuevos",
    "The codes that you have no longer work then, and your other sessions end.":
      "Los códigos que tienes dejarán de valer, y tus demás sesiones terminarán.",
    "Trusted until {date}": "De confianza hasta el {date}",
    "Confirm your email address before you turn on two-step sign-in.":
      "Confirma tu correo electrónico antes de activar el acceso en dos pasos.",
    "Two-step sign-in is on": "El acceso en dos pasos está activado",
    "Two-step sign-in is off": "El acceso en dos pasos está desactivado",
    "Your recovery codes have been replaced": "Tus códigos de recuperación son otros",
    "A recovery code was used to sign in": "Se ha usado un código de recuperación",
    "Too many wrong codes for your account": "Demasiados códigos erróneos en tu cuenta",
    "Somebody who got past the first step has typed too many wrong codes. For a day only recovery codes and passkeys are accepted.":
      "Alguien que ha superado el primer paso ha escrito demasiados códigos incorrectos. Durante un día solo se aceptan códigos de recuperación y claves de acceso.",
    "You get this email whenever two-step sign-in changes. It can’t be turned off.":
      "Recibes este correo siempre que cambia el acceso en dos pasos. No se puede desactivar.",
    "Two-step sign-in turned on": "Acceso en dos pasos activado",
    "Two-step sign-in turned off": "Acceso en dos pasos desactivado",
    "Recovery code used": "Código de recuperación usado",
    "Second step closed for a day after too many wrong codes":
      "Segundo paso cerrado un día tras demasiados códigos incorrectos",
    "A link works once, and not for long.": "Un enlace funciona una vez y por poco tiempo.",
    "A link works once, for {time}.": "Un enlace funciona una vez, durante {time}.",
    "A name has at most 256 characters, and no control characters.":
      "Un nombre tiene como máximo 256 caracteres, sin caracteres de control.",
    "A code was used a second time and refused": "Se usó un código por segunda vez y se rechazó",
    "A passkey was refused because it may have been copied":
      "Se rechazó una clave de acceso porque puede haber sido copiada",
    "A profile picture URL begins with https:// and has at most 2,048 characters.":
      "La dirección de una foto de perfil empieza por https:// y tiene como máximo 2048 caracteres.",
    "Account connected": "Cuenta conectada",
    "Account created": "Cuenta creada",
    "Account created with {provider}": "Cuenta creada con {provider}",
    "Account disconnected": "Cuenta desconectada",
    "Add a passkey": "Añadir una clave de acceso",
    "Add an email address to your account before you set a password":
      "Añade un correo electrónico a tu cuenta antes de poner una contraseña",
    "Added {date}": "Añadida el {date}",
    "Afterwards you set a new password, or sign in by email.":
      "Después elige una contraseña nueva o inicia sesión por correo.",
    "All sessions and memberships": "Todas las sesiones y pertenencias",
    "Already have an account?": "¿Ya tienes una cuenta?",
    "An account with these details already exists.": "Ya existe una cuenta con estos datos.",
    "An account with this address already exists. Sign in the way you did before, then link this one.":
      "Ya existe una cuenta con esta dirección. Inicia sesión como antes y luego conecta esta.",
    "At least {n} characters. Three or four words in a row make a good one.":
      "Al menos {n} caracteres. Tres o cuatro palabras seguidas van bien.",
    "Back to sign in": "Volver al inicio de sesión",
    "Both work once, for {time}. We will never ask you for this code on the phone or in a chat.":
      "Ambos funcionan una vez, durante {time}. Nunca te pediremos este código por teléfono ni en un chat.",
    "Browser": "Navegador",
    "Button doesn’t work? Copy this address into your browser: {address}":
      "¿No funciona el botón? Copia esta dirección en tu navegador: {address}",
    "By creating an account you agree to the {terms} and the {privacy}.":
      "Al crear una cuenta aceptas las {terms} y la {privacy}.",
    "By creating an account you agree to the {terms}.": "Al crear una cuenta aceptas las {terms}.",
    "Cancel": "Cancelar",
    "Change": "Cambiar",
    "Change email address": "Cambiar el correo",
    "Change password": "Cambiar la contraseña",
    "Change your email address?": "¿Cambiar tu correo?",
    "Changed {date}": "Cambiada el {date}",
    "Check your devices": "Revisar tus dispositivos",
    "Check your email": "Revisa tu correo",
    "Choose a new password": "Elegir una contraseña nueva",
    "Confirm it’s you": "Confirma que eres tú",
    "Confirm this address": "Confirmar esta dirección",
    "Confirm your email address": "Confirma tu correo",
    "Confirm your email address?": "¿Confirmar tu correo?",
    "Confirm your new email address": "Confirma tu nuevo correo",
    "Confirmed {date}": "Confirmado el {date}",
    "Connect": "Conectar",
    "Connected accounts": "Cuentas conectadas",
    "Connected {date}": "Conectada el {date}",
    "Connected {provider}": "{provider} conectado",
    "Connected: {names}": "Conectadas: {names}",
    "Continue": "Continuar",
    "Continue with a passkey": "Continuar con una clave de acceso",
    "Continue with {provider}": "Continuar con {provider}",
    "Create a passkey": "Crear una clave de acceso",
    "Create account": "Crear la cuenta",
    "Create an account": "Crea una cuenta",
    "Create an account with a passkey": "Crear una cuenta con una clave de acceso",
    "Create your account": "Crea tu cuenta",
    "Create your account?": "¿Crear tu cuenta?",
    "Current password": "Contraseña actual",
    "Delete account": "Eliminar la cuenta",
    "Delete your account": "Eliminar tu cuenta",
    "Delete your account?": "¿Eliminar tu cuenta?",
    "Details for support": "Datos para soporte",
    "Devices": "Dispositivos",
    "Didn’t ask for this? Close this page. Nothing happens until you press the button.":
      "¿No lo pediste? Cierra esta página. No pasa nada hasta que pulses el botón.",
    "Didn’t ask? You can ignore this email; nobody gets in without it.":
      "¿No lo pediste? Puedes ignorar este correo; nadie entra sin él.",
    "Didn’t ask? You can ignore this email; nothing changes without it.":
      "¿No lo pediste? Puedes ignorar este correo; nada cambia sin él.",
    "Didn’t ask? You can ignore this email; your password stays as it is.":
      "¿No lo pediste? Puedes ignorar este correo; tu contraseña sigue igual.",
    "Didn’t create an account? You can ignore this email; nothing happens without the link.":
      "¿No creaste ninguna cuenta? Puedes ignorar este correo; sin el enlace no ocurre nada.",
    "Disconnect": "Desconectar",
    "Disconnected {provider}": "{provider} desconectado",
    "Download": "Descargar",
    "Download your data": "Descargar tus datos",
    "Email": "Correo",
    "Email address": "Correo electrónico",
    "Email address changed": "Correo cambiado",
    "Email address confirmed": "Correo confirmado",
    "Sign in by email instead": "Mejor entrar por correo",
    "Enter a whole email address, such as ada@example.com.":
      "Escribe un correo completo, como ada@example.com.",
    "Enter your email address. We’ll send you a link to choose a new one.":
      "Escribe tu correo. Te enviaremos un enlace para elegir una contraseña nueva.",
    "Enter your name.": "Escribe tu nombre.",
    "Enter your password": "Escribe tu contraseña",
    "Error": "Error",
    "Error:": "Error:",
    "Fill in every required field and try again.":
      "Rellena todos los campos obligatorios e inténtalo de nuevo.",
    "Forgot password?": "¿Olvidaste la contraseña?",
    "Forgot your password?": "¿Olvidaste tu contraseña?",
    "Forgot your password? Choose a new one: {address}":
      "¿Olvidaste tu contraseña? Elige una nueva: {address}",
    "Go to the start page": "Ir a la página de inicio",
    "Go to your account": "Ir a tu cuenta",
    "Go to {app}": "Ir a {app}",
    "Help": "Ayuda",
    "Hide": "Ocultar",
    "Hide password": "Ocultar la contraseña",
    "If the address can sign in here, we have sent a link to it.":
      "Si esta dirección puede iniciar sesión aquí, le hemos enviado un enlace.",
    "If {address} has an account, a link to choose a new password is on its way. It works for {time}.":
      "Si {address} tiene una cuenta, un enlace para elegir una contraseña nueva está en camino. Funciona durante {time}.",
    "It works once, for {time}.": "Funciona una vez, durante {time}.",
    "Keep it": "Conservarla",
    "Last seen {date}": "Visto el {date}",
    "Last used": "Último usado",
    "Last used {date}": "Usada el {date}",
    "More than one thing to put right": "Hay varias cosas que corregir",
    "Name": "Nombre",
    "Name of the new passkey": "Nombre de la nueva clave de acceso",
    "New email address": "Nuevo correo",
    "New here?": "¿Eres nuevo?",
    "New password": "Contraseña nueva",
    "New sign-in to your account": "Nuevo inicio de sesión en tu cuenta",
    "New to {app}?": "¿Eres nuevo en {app}?",
    "No passkeys yet.": "Aún no hay claves de acceso.",
    "No password yet.": "Aún no hay contraseña.",
    "No way to sign in has been set up yet.":
      "Aún no se ha configurado ninguna forma de iniciar sesión.",
    "Nobody has confirmed this address on its account yet. Whatever was set up there before, such as a password, ends when you sign in.":
      "Nadie ha confirmado aún esta dirección en su cuenta. Lo que se configuró antes en ella, como una contraseña, termina cuando inicias sesión.",
    "Not confirmed": "Sin confirmar",
    "Not connected": "Sin conectar",
    "Not found": "No encontrado",
    "Not you? Change how you sign in now.":
      "¿No fuiste tú? Cambia ahora tu forma de iniciar sesión.",
    "Not you? Choose a new password now.": "¿No fuiste tú? Elige ahora una contraseña nueva.",
    "Not you? Sign it out, then change how you sign in.":
      "¿No fuiste tú? Cierra esa sesión y cambia tu forma de iniciarla.",
    "Not you? Sign out everywhere else, then change how you sign in.":
      "¿No fuiste tú? Cierra sesión en los demás sitios y cambia tu forma de iniciarla.",
    "Nothing after a minute? Look in your spam folder, or {again}.":
      "¿Nada después de un minuto? Mira en el correo no deseado o {again}.",
    "On a shared computer? Close the browser window too.":
      "¿En un ordenador compartido? Cierra también la ventana del navegador.",
    "On this page": "En esta página",
    "One JSON file with everything we hold about you.":
      "Un archivo JSON con todo lo que guardamos sobre ti.",
    "One step to your account.": "Solo un paso para tu cuenta.",
    "One step to your {app} account.": "Solo un paso para tu cuenta de {app}.",
    "Open the link in the browser in which you asked for it.":
      "Abre el enlace en el navegador en el que lo pediste.",
    "Open {mailbox}": "Abrir {mailbox}",
    "Or enter this code:": "O escribe este código:",
    "Or press the button in this email.": "O pulsa el botón de este correo.",
    "Other browsers and phones have to use the new password.":
      "Los demás navegadores y teléfonos tendrán que usar la contraseña nueva.",
    "Other ways to sign in.": "Otras formas de iniciar sesión.",
    "Passkey": "Clave de acceso",
    "Passkey added": "Clave de acceso añadida",
    "Passkey name": "Nombre de la clave de acceso",
    "Passkey removed": "Clave de acceso quitada",
    "Passkeys": "Claves de acceso",
    "Passkeys do not work at this address.": "Las claves de acceso no funcionan en esta dirección.",
    "Passkeys need a newer browser with JavaScript turned on.":
      "Las claves de acceso necesitan un navegador más reciente con JavaScript.",
    "Passkeys that still sign in to your account: {n}.":
      "Claves de acceso que aún permiten iniciar sesión: {n}.",
    "Passkeys: {n}": "Claves de acceso: {n}",
    "Password": "Contraseña",
    "Password changed": "Contraseña cambiada",
    "Press the button in the browser you started in:":
      "Pulsa el botón en el navegador en el que empezaste:",
    "Open this link in the browser you started in:":
      "Abre este enlace en el navegador en el que empezaste:",
    "Press the button to choose a new password:":
      "Pulsa el botón para elegir una contraseña nueva:",
    "Open this link to choose a new password:":
      "Abre este enlace para elegir una contraseña nueva:",
    "Press the button to confirm that this address is yours:":
      "Pulsa el botón para confirmar que esta dirección es tuya:",
    "Open this link to confirm that this address is yours:":
      "Abre este enlace para confirmar que esta dirección es tuya:",
    "Privacy": "Privacidad",
    "Privacy Policy": "política de privacidad",
    "Profile": "Perfil",
    "Profile picture URL": "Dirección de la foto de perfil",
    "Shown in the application. This page loads nothing from other sites.":
      "Se ve en la aplicación. Esta página no carga nada de otros sitios.",
    "Recent activity": "Actividad reciente",
    "Reference": "Referencia",
    "Remove": "Quitar",
    "Remove those that you don’t know: {account}": "Elimina las que no conozcas: {account}",
    "Rename": "Cambiar el nombre",
    "Save": "Guardar",
    "Save and sign in": "Guardar e iniciar sesión",
    "Send a confirmation": "Enviar una confirmación",
    "Send a new link": "Enviar un enlace nuevo",
    "Send application/x-www-form-urlencoded or application/json":
      "No se acepta este formato de solicitud",
    "Send the link": "Enviar el enlace",
    "Sent again.": "Enviado de nuevo.",
    "Sent again. Only the newest code works.":
      "Enviado de nuevo. Solo funciona el código más reciente.",
    "Set a password": "Definir una contraseña",
    "Show": "Mostrar",
    "Show more": "Mostrar más",
    "Show password": "Mostrar la contraseña",
    "Sign in": "Iniciar sesión",
    "Sign in again": "Volver a iniciar sesión",
    "Sign in again to continue.": "Inicia sesión de nuevo para continuar.",
    "Sign in another way": "Iniciar sesión de otra forma",
    "Sign in first": "Primero inicia sesión",
    "Sign in to continue.": "Inicia sesión para continuar.",
    "Sign in to {app}": "Iniciar sesión en {app}",
    "Sign in to {app}?": "¿Iniciar sesión en {app}?",
    "Sign in with your fingerprint, face or screen lock. Keep two, so that a lost device doesn’t lock you out.":
      "Inicia sesión con tu huella, tu cara o el bloqueo de pantalla. Ten dos, para que un dispositivo perdido no te deje fuera.",
    "Sign in, or choose a new password.": "Inicia sesión o elige una contraseña nueva.",
    "Sign in?": "¿Iniciar sesión?",
    "Sign out": "Cerrar sesión",
    "Sign out everywhere else": "Cerrar sesión en los demás sitios",
    "Sign out of {app}?": "¿Cerrar la sesión de {app}?",
    "Sign out?": "¿Cerrar sesión?",
    "Sign-in didn’t finish": "No se completó el inicio de sesión",
    "Signed in": "Sesión iniciada",
    "Signed in with {provider}": "Sesión iniciada con {provider}",
    "Account created by an invitation": "Cuenta creada por una invitación",
    "Signed in by an invitation": "Sesión iniciada por una invitación",
    "Signed in {date}": "Sesión iniciada el {date}",
    "Signed out": "Sesión cerrada",
    "Signed out elsewhere": "Sesión cerrada en otro sitio",
    "Signing in…": "Iniciando sesión…",
    "Six-digit code": "Código de seis cifras",
    "Skip to content": "Ir al contenido",
    "Somebody, probably you, wanted to create an account with this address. It has one:":
      "Alguien, seguramente tú, quiso crear una cuenta con esta dirección. Ya tiene una:",
    "Someone signed in as {address} in a browser we haven’t seen before.":
      "Alguien inició sesión como {address} en un navegador que no conocíamos.",
    "Something here that wasn’t you? {devices}, then change how you sign in.":
      "¿Algo de esto no fuiste tú? {devices} y cambia tu forma de iniciar sesión.",
    "Something went wrong": "Algo salió mal",
    "Something went wrong on our side. Try again in a moment.":
      "Ha habido un error por nuestra parte. Inténtalo de nuevo en un momento.",
    "Something went wrong.": "Algo salió mal.",
    "Something went wrong. Try again in a moment.":
      "Algo salió mal. Inténtalo de nuevo en un momento.",
    "Start page": "Página de inicio",
    "Stay signed in": "Mantener la sesión",
    "Terms": "Condiciones",
    "That code doesn’t match. Only the newest one works.":
      "Ese código no coincide. Solo funciona el más reciente.",
    "That device is signed out.": "Ese dispositivo ya no tiene sesión.",
    "That email or password is wrong.": "Ese correo o esa contraseña no es correcto.",
    "That password is wrong.": "Esa contraseña no es correcta.",
    "That took too long. Try again.": "Tardó demasiado. Inténtalo de nuevo.",
    "That was cancelled, or took too long. Try again.":
      "Se canceló o tardó demasiado. Inténtalo de nuevo.",
    "That’s {n} characters. Use at least {min}.": "Son {n} caracteres. Usa al menos {min}.",
    "The account is connected.": "La cuenta está conectada.",
    "The account is disconnected.": "La cuenta está desconectada.",
    "The email address of your account is {address}.": "El correo de tu cuenta es {address}.",
    "The new email address of your account will be {address}.":
      "El nuevo correo de tu cuenta será {address}.",
    "The other site could not sign you in. Try again in a moment.":
      "El otro sitio no pudo iniciar tu sesión. Inténtalo de nuevo en un momento.",
    "The passkey is added.": "La clave de acceso está añadida.",
    "A passkey was added to your account": "Nueva clave de acceso en tu cuenta",
    "A passkey was removed from your account": "Clave de acceso quitada de tu cuenta",
    "After a sign-in with your password, the password manager of that browser has made a passkey. It signs in to your account from now on.":
      "Tras un inicio de sesión con tu contraseña, el gestor de contraseñas de ese navegador ha creado una clave de acceso. Desde ahora sirve para entrar en tu cuenta.",
    "It no longer signs in to your account. If it wasn’t you who signed in, somebody knows your password: choose a new one.":
      "Ya no sirve para entrar en tu cuenta. Si no fuiste tú quien inició sesión, alguien conoce tu contraseña: elige una nueva.",
    "Not you? Remove the passkey, then choose a new password.":
      "¿No fuiste tú? Quita la clave de acceso y elige después una contraseña nueva.",
    "Passkeys added since you last chose a password. Sign in afterwards to remove those that you don’t know.":
      "Claves de acceso añadidas desde la última vez que elegiste una contraseña. Inicia sesión después para quitar las que no conozcas.",
    "Passkeys added since you last chose a password. Tick those that you don’t know, and they are removed.":
      "Claves de acceso añadidas desde la última vez que elegiste una contraseña. Marca las que no conozcas y se quitarán.",
    "Remove this passkey": "Quitar esta clave de acceso",
    "Remove this passkey?": "¿Quitar esta clave de acceso?",
    "The passkey has been removed already, or the link is older than a week.":
      "La clave de acceso ya se ha quitado, o el enlace tiene más de una semana.",
    "Use a passkey next time": "Usar una clave de acceso la próxima vez",
    "You get this email whenever a passkey is added or removed. It can’t be turned off.":
      "Recibes este correo cuando se añade o se quita una clave de acceso. No se puede desactivar.",
    "You get this email whenever a passkey is added by itself. It can’t be turned off.":
      "Recibes este correo cuando se añade una clave de acceso por sí sola. No se puede desactivar.",
    "Your fingerprint, face or screen lock takes the place of the password. It takes a moment.":
      "Tu huella, tu cara o el bloqueo de pantalla sustituyen a la contraseña. Es solo un momento.",
    "{name}, added on {date}, will no longer sign in to your account.":
      "{name}, añadida el {date}, ya no servirá para entrar en tu cuenta.",
    "The passkey is removed.": "La clave de acceso está quitada.",
    "The password": "La contraseña",
    "The password you just chose": "La contraseña que acabas de elegir",
    "The request is too large": "La solicitud es demasiado grande",
    "The session does not fit into cookies": "La sesión no cabe en las cookies",
    "The sign-in was cancelled.": "Se canceló el inicio de sesión.",
    "There have been too many attempts to sign in to this account. Set a new password.":
      "Ha habido demasiados intentos de iniciar sesión en esta cuenta. Elige una contraseña nueva.",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email, or set a new password.":
      "Ha habido demasiados intentos de iniciar sesión en esta cuenta. Inicia sesión con un enlace por correo o elige una contraseña nueva.",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email.":
      "Ha habido demasiados intentos de iniciar sesión en esta cuenta. Inicia sesión con un enlace por correo.",
    "There have been too many attempts. Try again in a minute.":
      "Ha habido demasiados intentos. Inténtalo de nuevo en un minuto.",
    "There have been too many attempts. Try again in {minutes} minutes.":
      "Ha habido demasiados intentos. Inténtalo de nuevo en {minutes} minutos.",
    "There have been too many attempts. Try again later.":
      "Ha habido demasiados intentos. Inténtalo más tarde.",
    "There is no email address yet.": "Aún no hay correo.",
    "There is no recent activity.": "No hay actividad reciente.",
    "There is no such tenant": "Esa organización no existe",
    "There is nothing at this address": "No hay nada en esta dirección",
    "This account already belongs to another user.": "Esta cuenta ya es de otra persona.",
    "This account cannot sign in.": "Esta cuenta no puede iniciar sesión.",
    "This account does not exist": "Esa cuenta no existe",
    "This account was set up before anybody confirmed this address, perhaps not by you. What is on it ends when you go on:":
      "Esta cuenta se creó antes de que alguien confirmara esta dirección, quizá no fuiste tú. Lo que hay en ella termina si continúas:",
    "This address does not answer that method":
      "Esta dirección no responde a ese tipo de solicitud",
    "This address is confirmed. Now open the link that we sent to your other address.":
      "Esta dirección está confirmada. Abre ahora el enlace que enviamos a tu otra dirección.",
    "This browser": "Este navegador",
    "This cannot be undone.": "No se puede deshacer.",
    "This cannot be undone: it deletes the account of {address} and signs you out everywhere. You lose with it:":
      "No se puede deshacer: se elimina la cuenta de {address} y se cierra tu sesión en todas partes. Pierdes con ella:",
    "Memberships of teams": "Pertenencias a equipos",
    "Your account is deleted.": "Tu cuenta está eliminada.",
    "That was cancelled, took too long, or this device has no passkey that is known here. Try again.":
      "Se ha cancelado, ha tardado demasiado o este dispositivo no tiene ninguna clave de acceso conocida aquí. Inténtalo de nuevo.",
    "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.":
      "Este dispositivo no puede comprobar que eres tú. Configura en él un PIN, una huella o un rostro, o usa otro.",
    "This device cannot make a passkey that works here. Use another one.":
      "Este dispositivo no puede crear una clave de acceso que funcione aquí. Usa otro.",
    "We could not be reached. Check your connection and try again.":
      "No se nos puede localizar. Comprueba tu conexión e inténtalo de nuevo.",
    "This device already has a passkey for this account.":
      "Este dispositivo ya tiene una clave de acceso para esta cuenta.",
    "This did not work": "No funcionó",
    "This is not a valid tenant": "Esa organización no es válida",
    "This is your only way to sign in. Add another one first.":
      "Es tu única forma de iniciar sesión. Añade antes otra.",
    "This link no longer works": "Este enlace ya no funciona",
    "This API key is wrong or has ended. Make a new one, and send it whole.":
      "Esta clave de API es incorrecta o ha caducado. Crea una nueva y envíala completa.",
    "This invitation no longer works. Ask for a new one.":
      "Esta invitación ya no es válida. Pide una nueva.",
    "This link no longer works. Ask for a new one.": "Este enlace ya no funciona. Pide uno nuevo.",
    "This link was not requested in this browser. Go on only if you asked for it.":
      "Este enlace no se pidió en este navegador. Continúa solo si lo pediste tú.",
    "This link was not requested in this browser. If you did not choose the password yourself, choose a new one.":
      "Este enlace no se pidió en este navegador. Si no elegiste tú la contraseña, elige una nueva.",
    "This account has changed meanwhile": "Esta cuenta ha cambiado entretanto",
    "This name is already taken": "Ese nombre ya está en uso",
    "This passkey could not be added. Try again.":
      "No se pudo añadir esta clave de acceso. Inténtalo de nuevo.",
    "This passkey does not exist": "Esa clave de acceso no existe",
    "This passkey does not work here. Try another one.":
      "Esta clave de acceso no funciona aquí. Prueba con otra.",
    "This password cannot be used": "Esta contraseña no se puede usar",
    "This password is on a list of leaked passwords. Choose another.":
      "Esta contraseña está en una lista de contraseñas filtradas. Elige otra.",
    "This password is too common. Choose another one.":
      "Esta contraseña es demasiado común. Elige otra.",
    "This password is too common. Choose another.":
      "Esta contraseña es demasiado común. Elige otra.",
    "This password is too long or contains invalid characters":
      "Esta contraseña es demasiado larga o tiene caracteres no válidos",
    "This password is too long or contains invalid characters.":
      "Esta contraseña es demasiado larga o contiene caracteres no válidos.",
    "This request came from another site and was refused.":
      "Esta petición venía de otro sitio y se rechazó.",
    "This server does not answer for that host": "Este servidor no responde por ese host",
    "This session does not exist": "Esa sesión no existe",
    "This sign-in took too long or began elsewhere. Start again.":
      "Este inicio de sesión tardó demasiado o empezó en otro sitio. Empieza de nuevo.",
    "To change how you sign in, {signIn}.": "Para cambiar tu forma de iniciar sesión, {signIn}.",
    "Too many tries": "Demasiados intentos",
    "Try again": "Intentar de nuevo",
    "Try again in a moment": "Inténtalo de nuevo en un momento",
    "Use a different address": "Usar otra dirección",
    "Use another account": "Usar otra cuenta",
    "Use at least {n} characters": "Usa al menos {n} caracteres",
    "Was it you? Then there is nothing to do.": "¿Fuiste tú? Entonces no hay nada que hacer.",
    "Wasn’t you? Don’t confirm it, and change how you sign in: somebody is in your account.":
      "¿No fuiste tú? No confirmes nada y cambia tu forma de iniciar sesión: hay alguien en tu cuenta.",
    "Wasn’t you? You can ignore this email; nothing has changed.":
      "¿No fuiste tú? Puedes ignorar este correo; nada ha cambiado.",
    "Wasn’t you? {choose} to be sure.": "¿No fuiste tú? {choose} para estar seguro.",
    "We are busy right now. Try again in a moment.":
      "Ahora mismo hay mucha actividad. Inténtalo de nuevo en un momento.",
    "We cannot do this right now. Try again in a moment.":
      "Ahora mismo no es posible. Inténtalo de nuevo en un momento.",
    "We could not send the email. Try again in a moment.":
      "No pudimos enviar el correo. Inténtalo de nuevo en un momento.",
    "We sent a code and a link to {address}. Enter the code here, or open the link in this browser.":
      "Enviamos un código y un enlace a {address}. Escribe aquí el código o abre el enlace en este navegador.",
    "We sent a link to both addresses. Open both to change your address.":
      "Enviamos un enlace a las dos direcciones. Abre los dos para cambiar tu dirección.",
    "We sent a link to {address}. Open it in this browser.":
      "Enviamos un enlace a {address}. Ábrelo en este navegador.",
    "We sent you a link. Open it in this browser to confirm your address.":
      "Te enviamos un enlace. Ábrelo en este navegador para confirmar tu dirección.",
    "We’ll email you a link. No password needed.":
      "Te enviaremos un enlace por correo. Sin contraseña.",
    "What was on your account before no longer works, the old password too. Sign in by email, or set a new password.":
      "Lo que había antes en tu cuenta ya no funciona, tampoco la contraseña antigua. Inicia sesión por correo o elige una contraseña nueva.",
    "When": "Cuándo",
    "Where": "Dónde",
    "Where you are signed in now.": "Dónde tienes la sesión iniciada ahora.",
    "You are not allowed to do this.": "No puedes hacer esto.",
    "You are not allowed to sign in.": "No puedes iniciar sesión.",
    "You can try again in {time}, at {at}.": "Puedes intentarlo de nuevo en {time}, a las {at}.",
    "You can try again in {time}.": "Puedes intentarlo de nuevo en {time}.",
    "You don’t have access to this": "No tienes acceso a esto",
    "You get this email whenever your account is used in a new browser. It can’t be turned off.":
      "Recibes este correo cuando tu cuenta se usa en un navegador nuevo. No se puede desactivar.",
    "You get this email whenever your password changes. It can’t be turned off.":
      "Recibes este correo cuando cambia tu contraseña. No se puede desactivar.",
    "You have an account already": "Ya tienes una cuenta",
    "You opened a link to create an account for {address}.":
      "Abriste un enlace para crear una cuenta para {address}.",
    "You opened a sign-in link for {address}.":
      "Abriste un enlace de inicio de sesión para {address}.",
    "Your account": "Tu cuenta",
    "Your address is changed.": "Tu dirección está cambiada.",
    "Your address is confirmed.": "Tu dirección está confirmada.",
    "Your changes are saved.": "Tus cambios están guardados.",
    "Your password is changed. You are signed out everywhere else.":
      "Tu contraseña ha cambiado. Se ha cerrado tu sesión en los demás sitios.",
    "Your data": "Tus datos",
    "Your email address": "Tu correo",
    "Your name": "Tu nombre",
    "Your password has changed": "Tu contraseña ha cambiado",
    "Your session ended. Sign in to go on.": "Tu sesión terminó. Inicia sesión para continuar.",
    "You’re signed in as {address}.": "Has iniciado sesión como {address}.",
    "You’re signed out": "Has cerrado la sesión",
    "ask for another one": "pide otro",
    "or": "o",
    "send it again": "envíalo de nuevo",
    "sign in again": "inicia sesión de nuevo",
    "{browser} on {system}": "{browser} en {system}",
    "{code} is your code": "{code} es tu código",
    "You’re signed out everywhere. Sign in with the new password.":
      "Has cerrado sesión en todas partes. Inicia sesión con la nueva contraseña.",
    "{code} is your {app} code": "{code} es tu código de {app}",
  },
};
