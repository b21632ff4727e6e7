/**
 * The pages and mails in French.
 *
 * @module
 */

import type { PageLanguage } from "../language.ts";

/**
 * French, for `languages` of `pageTheme()`.
 *
 * @example
 * ```ts
 * import { pageTheme } from "@framework/auth";
 * import { french } from "@framework/auth/languages";
 * import { equal } from "node:assert/strict";
 *
 * pageTheme({ languages: [french], language: "fr" });
 * equal(french.tag, "fr");
 * ```
 */
export const french: PageLanguage = {
  tag: "fr",
  texts: {
    "API key created": "Clé d’API créée",
    "API key replaced": "Clé d’API remplacée",
    "API key revoked": "Clé d’API révoquée",
    "API keys": "Clés d’API",
    "API keys do not count here. Sign in with a browser.":
      "Les clés d’API ne comptent pas ici. Connectez-vous avec un navigateur.",
    "Copy your API key": "Copiez votre clé d’API",
    "Create an API key": "Créer une clé d’API",
    "Create key": "Créer la clé",
    "Created by {name}": "Créée par {name}",
    "Ended": "Expirée",
    "Ends": "Expiration",
    "Ends {date}": "Expire le {date}",
    "Everything": "Tout",
    "For programs that use your data without you. You can revoke each one on its own.":
      "Pour les programmes qui utilisent vos données sans vous. Chaque clé peut être révoquée séparément.",
    "I have copied it": "Je l’ai copiée",
    "In 30 days": "Dans 30 jours",
    "In 90 days": "Dans 90 jours",
    "In a year": "Dans un an",
    "It is shown only now. Whoever has it can use it, so keep it like a password.":
      "Elle n’est affichée que maintenant. Quiconque la possède peut l’utiliser : gardez-la comme un mot de passe.",
    "Name of the key": "Nom de la clé",
    "Never": "Jamais",
    "Never used": "Jamais utilisée",
    "No API keys yet.": "Aucune clé d’API pour l’instant.",
    "Replace": "Remplacer",
    "Revoke": "Révoquer",
    "{inviter} invites you to join {team}.": "{inviter} vous invite à rejoindre {team}.",
    "{team} on {app}": "{team} sur {app}",
    "A suspended team keeps its owner. The people who run this site can make somebody else the owner.":
      "Une équipe suspendue garde son propriétaire. Les responsables de ce site peuvent en nommer un autre.",
    "A team keeps an owner. Make somebody else the owner first.":
      "Une équipe garde toujours un propriétaire. Nommez d’abord quelqu’un d’autre.",
    "Confirm this address and join": "Confirmer cette adresse et rejoindre",
    "Confirm this address on your account page, then open the link once more.":
      "Confirmez cette adresse sur la page de votre compte, puis ouvrez le lien à nouveau.",
    "Create account and join": "Créer un compte et rejoindre",
    "Create the team": "Créer l’équipe",
    "Don’t know this team? Close this page. Nothing happens until you press the button.":
      "Vous ne connaissez pas cette équipe ? Fermez cette page. Rien ne se passe sans le bouton.",
    "You get this email because {address} was invited. Don’t know this team? You can ignore it; nobody joins without the link.":
      "Vous recevez cet e-mail parce que {address} a reçu une invitation. Vous ne connaissez pas cette équipe ? Ignorez-le ; sans le lien, personne ne la rejoint.",
    "Give the team a name of 1 to 200 characters.":
      "Donnez à l’équipe un nom de 1 à 200 caractères.",
    "Go on to search the rest.": "Continuez pour chercher dans le reste.",
    "Invitations": "Invitations",
    "Invite by email": "Inviter par e-mail",
    "It works once, and not for ever. Ask for a new one.":
      "Elle ne sert qu’une fois et pas indéfiniment. Demandez-en une autre.",
    "Join the team": "Rejoindre l’équipe",
    "Join {team}": "Rejoindre {team}",
    "Join {team}?": "Rejoindre {team} ?",
    "Leave the team": "Quitter l’équipe",
    "Leave {team}": "Quitter {team}",
    "Make the owner": "Nommer propriétaire",
    "Members": "Membres",
    "More": "Suite",
    "Name of the new team": "Nom de la nouvelle équipe",
    "Nobody found": "Personne trouvé",
    "You can come back only by a new invitation.":
      "Vous ne pourrez revenir que par une nouvelle invitation.",
    "Open": "Ouvrir",
    "Remove from the team": "Retirer de l’équipe",
    "Role": "Rôle",
    "Save role": "Enregistrer le rôle",
    "Search": "Rechercher",
    "Search by name or address": "Rechercher par nom ou adresse",
    "See the invitation": "Voir l’invitation",
    "Send again": "Renvoyer",
    "Send the invitation": "Envoyer l’invitation",
    "Sign in as {address} to join.":
      "Connectez-vous en tant que {address} pour rejoindre l’équipe.",
    "Somebody without a name": "Quelqu’un sans nom",
    "Switch": "Changer",
    "The invitation is on its way.": "L’invitation est en route.",
    "The invitation is revoked.": "L’invitation est révoquée.",
    "The link goes to the invited mailbox and nowhere else.":
      "Le lien va à la boîte invitée et nulle part ailleurs.",
    "The team has a new owner.": "L’équipe a un nouveau propriétaire.",
    "Your team is ready.": "Votre équipe est prête.",
    "They are no longer a member.": "Cette personne n’est plus membre.",
    "They are not a member of this team.": "Cette personne n’est pas membre de cette équipe.",
    "This invitation no longer works": "Cette invitation ne fonctionne plus",
    "You get an account for {address} and are signed in.":
      "Nous créons un compte pour {address} et vous connectons.",
    "This team": "Cette équipe",
    "This team is suspended. Ask the people who run this site.":
      "Cette équipe est suspendue. Adressez-vous aux responsables de ce site.",
    "{name} is signed in as you": "{name} est connecté en votre nom",
    "You act for {name}": "Vous agissez pour {name}",
    "End access": "Mettre fin à l’accès",
    "No one from support is signed in as you.":
      "Personne de l’assistance n’est connecté en votre nom.",
    "Access by our support": "Accès de notre assistance",
    "To help you, our support can use the app as you. They can’t change how you sign in.":
      "Pour vous aider, notre assistance peut utiliser l’application en votre nom. Elle ne peut pas modifier votre façon de vous connecter.",
    "Sign in as this user": "Se connecter au nom de cette personne",
    "This user has rights in a team that you don’t have, so you can’t sign in as them.":
      "Cette personne a dans une équipe des droits que vous n’avez pas ; vous ne pouvez donc pas vous connecter en son nom.",
    "Only {name} can change this account.":
      "{name} est la seule personne à pouvoir modifier ce compte.",
    "See the app as they do. You can’t change how they sign in, and they can see that you were there, and why.":
      "Voyez l’application comme cette personne. Vous ne pouvez pas modifier sa façon de se connecter, et elle voit que vous étiez là et pourquoi.",
    "Reason, such as a ticket number": "Motif, tel qu’un numéro de demande",
    "Time": "Durée",
    "You act for {name} until {date}. What you do is recorded.":
      "Vous agissez pour {name} jusqu’au {date}. Ce que vous faites est enregistré.",
    "Stop": "Arrêter",
    "An administrator signed in as you": "Connexion d’un administrateur en votre nom",
    "The administrator’s sign-in as you ended":
      "La connexion de l’administrateur en votre nom a pris fin",
    "Only the owner of the account can do this. Stop acting for them first.":
      "Seul le titulaire du compte peut faire cela. Cessez d’abord d’agir pour cette personne.",
    "Give a reason of 1 to 200 characters": "Indiquez un motif de 1 à 200 caractères",
    "Choose a time of one minute to one hour": "Choisissez entre une minute et une heure",
    "Keys that they made still work: {names}. {link}":
      "Les clés créées par cette personne restent valables : {names}. {link}",
    "Look at the keys": "Voir les clés",
    "Until {date}": "Jusqu’au {date}",
    "Yes, leave": "Oui, quitter",
    "You": "Vous",
    "You’re not in a team yet.": "Vous ne faites pas encore partie d’une équipe.",
    "You are invited to join {team}.": "Une invitation à rejoindre {team}.",
    "You are not a member of this team.": "Vous n’êtes pas membre de cette équipe.",
    "You have left the team.": "Vous avez quitté l’équipe.",
    "Your role there: {roles}.": "Votre rôle : {roles}.",
    "Your teams": "Vos équipes",
    "You’re a member now.": "Vous êtes maintenant membre.",
    "You’re a member now. Add your name and a way to sign in on {account}.":
      "Vous êtes maintenant membre. Ajoutez votre nom et un moyen de connexion sur {account}.",
    "your account page": "la page de votre compte",
    "You’re a member of {team}": "Vous êtes membre de {team}",
    "You’re signed in as {user}. This invitation is for {address}.":
      "Vous êtes connecté en tant que {user}. Cette invitation est pour {address}.",
    "Support removed your two-step sign-in": "L’assistance a supprimé la double étape",
    "The key before works until {date}": "La clé précédente fonctionne jusqu’au {date}",
    "Active": "Actif",
    "About": "Aperçu",
    "All devices are signed out.": "Tous les appareils sont déconnectés.",
    "All users": "Tous les utilisateurs",
    "Allows new sign-ins.": "Autorise de nouvelles connexions.",
    "Any role": "Tous les rôles",
    "Block": "Bloquer",
    "Block or delete": "Bloquer ou supprimer",
    "Blocked": "Bloqué",
    "Changed by an administrator": "Modifié par un administrateur",
    "Delete this account?": "Supprimer ce compte ?",
    "Ends its password, passkeys and connected accounts, then unblocks it. A link to its email address opens it.":
      "Met fin au mot de passe, aux clés d’accès et aux comptes connectés, puis le débloque. Un lien envoyé à son adresse e-mail l’ouvre.",
    "First page": "Première page",
    "Give a stolen account back": "Rendre un compte volé",
    "Give back": "Rendre",
    "Help signing in": "Aide à la connexion",
    "Joined": "Inscription",
    "Name, email or ID": "Nom, e-mail ou identifiant",
    "Next page": "Page suivante",
    "No roles.": "Aucun rôle.",
    "Nobody on this page. Only the beginning of a name or an address is searched.":
      "Personne sur cette page. Seul le début d’un nom ou d’une adresse est recherché.",
    "Not signed in anywhere.": "Connecté nulle part.",
    "Pages": "Pages",
    "Roles": "Rôles",
    "Sends a link by email.": "Envoie un lien par e-mail.",
    "Sends a link by email. The old password works until it is used.":
      "Envoie un lien par e-mail. L’ancien mot de passe reste valable jusqu’à son utilisation.",
    "Show everyone": "Afficher tout le monde",
    "Sign out everywhere": "Déconnecter partout",
    "Signs out everywhere and refuses new sign-ins. You can undo this.":
      "Déconnecte partout et refuse de nouvelles connexions. C’est réversible.",
    "Status": "État",
    "The account is blocked.": "Le compte est bloqué.",
    "The account is deleted.": "Le compte est supprimé.",
    "The account is unblocked.": "Le compte est débloqué.",
    "The account is unblocked. Only a link by email opens it now.":
      "Le compte est débloqué. Seul un lien par e-mail l’ouvre désormais.",
    "The link is on its way.": "Le lien est en route.",
    "This account has no address that a link could be sent to":
      "Ce compte n’a pas d’adresse à laquelle envoyer un lien",
    "This account has rights that you don’t have, so you can’t change it.":
      "Ce compte a des droits que vous n’avez pas ; vous ne pouvez donc pas le modifier.",
    "This cannot be undone: the account of {address} is deleted with its passkeys, connected accounts and memberships, and its sessions end.":
      "C’est irréversible : le compte de {address} est supprimé avec ses clés d’accès, comptes connectés et appartenances, et ses sessions prennent fin.",
    "This is your own account. Another administrator can change it here.":
      "C’est votre propre compte. Un autre administrateur peut le modifier ici.",
    "To make changes, {signIn}.": "Pour faire des modifications, {signIn}.",
    "Unblock": "Débloquer",
    "User ID": "Identifiant",
    "Users": "Utilisateurs",
    "Ways to sign in": "Moyens de connexion",
    "You can give and take the roles whose rights you have yourself.":
      "Vous pouvez donner et retirer les rôles dont vous avez vous-même les droits.",
    "This takes your password or a passkey: a link or code by email is not enough, nor is a password that is newer than your last code.":
      "Il faut votre mot de passe ou une clé d’accès : un lien ou un code par e-mail ne suffit pas, ni un mot de passe plus récent que votre dernier code.",
    "There is no request that has taken effect.": "Aucune demande n’a encore pris effet.",
    "Sign-in without the second step asked for": "Connexion sans la deuxième étape demandée",
    "Request to sign in without the second step cancelled":
      "Demande de connexion sans la deuxième étape annulée",
    "Somebody asked to sign in without your second step":
      "Quelqu’un demande à se connecter sans votre deuxième étape",
    "The request to sign in without your second step was cancelled":
      "La demande de connexion sans votre deuxième étape a été annulée",
    "From {date} on, whoever knows your password can sign in without it and remove it.":
      "À partir du {date}, quiconque connaît votre mot de passe peut se connecter sans elle et la supprimer.",
    "Not you? Cancel it, then choose a new password: somebody knows yours.":
      "Ce n’est pas vous ? Annulez, puis choisissez un nouveau mot de passe : quelqu’un connaît le vôtre.",
    "If you did not ask for it, somebody knows your password: choose a new one.":
      "Si la demande ne venait pas de vous, quelqu’un connaît votre mot de passe : choisissez-en un nouveau.",
    "If you asked for it and somebody else cancelled it, sign out everywhere else, then change how you sign in.":
      "Si vous aviez fait la demande et que quelqu’un d’autre l’a annulée, déconnectez-vous partout ailleurs, puis changez votre façon de vous connecter.",
    "Signing in still takes your second step.":
      "La connexion demande toujours votre deuxième étape.",
    "Cancel the request": "Annuler la demande",
    "The request is cancelled.": "La demande est annulée.",
    "Continue without the second step": "Continuer sans la deuxième étape",
    "Continue without the second step?": "Continuer sans la deuxième étape ?",
    "Lost your second step?": "Deuxième étape perdue ?",
    "Ask to sign in without the second step": "Se connecter sans la deuxième étape",
    "It takes effect after {time}. We tell you at once by email and wherever you are signed in; from there it can be cancelled.":
      "La demande prend effet après {time}. Nous vous prévenons aussitôt par e-mail et partout où vous êtes connecté ; elle peut y être annulée.",
    "Send the request": "Envoyer la demande",
    "We have your request": "Nous avons votre demande",
    "Sign in again between {from} and {until}, then you can continue without the second step. A new password ends the request.":
      "Reconnectez-vous entre le {from} et le {until} : vous pourrez alors continuer sans la deuxième étape. Un nouveau mot de passe met fin à la demande.",
    "Your authenticator app, recovery codes and trusted browsers are removed, and your other sessions end. Then set up two-step sign-in again.":
      "Votre application d’authentification, vos codes de secours et vos navigateurs de confiance sont supprimés, et vos autres sessions prennent fin. Configurez ensuite de nouveau la connexion en deux étapes.",
    "Remove and continue": "Supprimer et continuer",
    "The request was cancelled": "La demande a été annulée",
    "You can ask again from {date} on.": "Vous pourrez refaire une demande à partir du {date}.",
    "Back to the second step": "Retour à la deuxième étape",
    "Two-step sign-in has been changed meanwhile. Start again.":
      "La connexion en deux étapes a été modifiée entre-temps. Recommencez.",
    "Confirm the second step to continue": "Confirmez la deuxième étape pour continuer",
    "A session of yours was copied": "Une de vos sessions a été copiée",
    "Bound to this device: a copy of its cookies soon opens nothing.":
      "Liée à cet appareil : une copie de ses cookies n’ouvre bientôt plus rien.",
    "Checking this device": "Vérification de cet appareil",
    "Does this page stay? Then sign out here, and sign in again.":
      "Cette page reste affichée ? Déconnectez-vous ici, puis reconnectez-vous.",
    "It has ended. Sign in again.": "Elle est terminée. Reconnectez-vous.",
    "Look for malware on your device, then change how you sign in.":
      "Recherchez des logiciels malveillants sur votre appareil, puis changez votre moyen de connexion.",
    "Not bound: this browser cannot bind sessions to its device, or has not done it.":
      "Non liée : ce navigateur ne peut pas lier les sessions à son appareil, ou ne l’a pas fait.",
    "Somebody had its cookie and tried to use it without your device. The session has ended.":
      "Quelqu’un avait son cookie et a essayé de l’utiliser sans votre appareil. La session est terminée.",
    "This device": "Cet appareil",
    "This device is being checked. Send it again":
      "Cet appareil est en cours de vérification. Renvoyez votre demande.",
    "This needs a session that is bound to its device. Sign in with a browser that can do that":
      "Il faut pour cela une session liée à son appareil. Connectez-vous avec un navigateur qui le permet.",
    "This session": "Cette session",
    "What will use it, such as “Nightly export”.":
      "Ce qui l’utilisera, par exemple « Export de nuit ».",
    "You are signed in on this device. This takes a moment.":
      "Vous êtes connecté sur cet appareil. Cela prend un instant.",
    "You are signed out everywhere. Sign in, then turn it on again.":
      "Toutes vos sessions ont été fermées. Connectez-vous, puis réactivez-la.",
    "You didn’t ask for it? Tell support at once, and change how you sign in: somebody may have pretended to be you.":
      "Vous ne l’avez pas demandé ? Prévenez l’assistance tout de suite et changez votre façon de vous connecter : quelqu’un s’est peut-être fait passer pour vous.",
    "You get this email whenever that happens. It can’t be turned off.":
      "Vous recevez cet e-mail chaque fois que cela se produit. Il ne peut pas être désactivé.",
    "Set up two-step sign-in to continue": "Activez la connexion en deux étapes",
    "Enter your code": "Saisissez votre code",
    "Open your authenticator app and enter the six digits it shows.":
      "Ouvrez votre application d’authentification et saisissez les six chiffres qu’elle affiche.",
    "That code is wrong, or it has been used before. Wait for the next one and try again.":
      "Ce code est faux ou a déjà servi. Attendez le suivant et réessayez.",
    "That recovery code is wrong, or it has been used before.":
      "Ce code de secours est faux ou a déjà servi.",
    "There have been too many wrong codes today. Use a recovery code, or a passkey if you have one.":
      "Il y a eu trop de codes faux aujourd’hui. Utilisez un code de secours, ou une clé d’accès si vous en avez une.",
    "Trust this browser for {time}": "Faire confiance à ce navigateur pendant {time}",
    "Not on a computer that other people use.": "Pas sur un ordinateur que d’autres utilisent.",
    "Use a recovery code": "Utiliser un code de secours",
    "One of the codes you saved when you set up two-step sign-in. Each works once.":
      "L’un des codes que vous avez enregistrés en activant la connexion en deux étapes. Chacun ne sert qu’une fois.",
    "Recovery code": "Code de secours",
    "Sixteen letters and digits. Capitals and dashes don’t matter.":
      "Seize lettres et chiffres. Les majuscules et les tirets n’ont pas d’importance.",
    "Use your authenticator app": "Utiliser l’application d’authentification",
    "Too many wrong codes ended this sign-in. Start again.":
      "Trop de codes faux ont mis fin à cette connexion. Recommencez.",
    "Unknown browser": "Navigateur inconnu",
    "This sign-in took too long. Start again.":
      "Cette connexion a pris trop de temps. Recommencez.",
    "Set up two-step sign-in": "Activer la connexion en deux étapes",
    "After this, signing in takes a code from your phone as well.":
      "Ensuite, la connexion demandera aussi un code de votre téléphone.",
    "Get an authenticator app.": "Installez une application d’authentification.",
    "Your phone or password manager may have one built in.":
      "Votre téléphone ou votre gestionnaire de mots de passe en a peut-être une.",
    "Scan this with it.": "Scannez ceci avec elle.",
    "QR code for your authenticator app": "Code QR pour l’application",
    "Is the app on this device? Open it, or enter this key in it.":
      "L’application est sur cet appareil ? Ouvrez-la, ou saisissez-y cette clé.",
    "Open in an authenticator app": "Ouvrir dans l’application",
    "Enter the six digits it shows": "Saisissez les six chiffres qu’elle affiche",
    "Turn on": "Activer",
    "Not now": "Pas maintenant",
    "Save your recovery codes": "Enregistrez vos codes de secours",
    "If you lose your phone, one of these gets you in. Each works once. They are shown only now.":
      "Si vous perdez votre téléphone, l’un d’eux vous permettra d’entrer. Chacun ne sert qu’une fois. Ils ne sont montrés que maintenant.",
    "Two-step sign-in is on.": "La connexion en deux étapes est activée.",
    "Two-step sign-in is off.": "La connexion en deux étapes est désactivée.",
    "Copy": "Copier",
    "Copied": "Copié",
    "Recovery codes": "Codes de secours",
    "Two-step sign-in": "Connexion en deux étapes",
    "Authenticator app": "Application d’authentification",
    "On": "Activée",
    "Since {date}": "Depuis le {date}",
    "Not set up yet.": "Pas encore activée.",
    "Set up": "Configurer",
    "Manage": "Gérer",
    "Turn off": "Désactiver",
    "Yes, turn off": "Oui, désactiver",
    "Signing in then takes one step. Your recovery codes and trusted browsers no longer count, and your other sessions end.":
      "La connexion se fera en une seule étape. Vos codes de secours et navigateurs de confiance ne compteront plus, et vos autres sessions prendront fin.",
    "Recovery codes left: {n}": "Codes de secours restants : {n}",
    "Make new codes": "Créer de nouveaux codes",
    "Yes, make new codes": "Oui, créer de nouveaux codes",
    "The codes that you have no longer work then, and your other sessions end.":
      "Les codes que vous avez ne fonctionneront plus, et vos autres sessions prendront fin.",
    "Trusted until {date}": "De confiance jusqu’au {date}",
    "Confirm your email address before you turn on two-step sign-in.":
      "Confirmez votre adresse e-mail avant d’activer la connexion en deux étapes.",
    "Two-step sign-in is on": "La connexion en deux étapes est activée",
    "Two-step sign-in is off": "La connexion en deux étapes est désactivée",
    "Your recovery codes have been replaced": "Vos codes de secours ont été remplacés",
    "A recovery code was used to sign in": "Un code de secours a servi à se connecter",
    "Too many wrong codes for your account": "Trop de codes faux pour votre compte",
    "Somebody who got past the first step has typed too many wrong codes. For a day only recovery codes and passkeys are accepted.":
      "Quelqu’un qui a passé la première étape a saisi trop de codes faux. Pendant un jour, seuls les codes de secours et les clés d’accès sont acceptés.",
    "You get this email whenever two-step sign-in changes. It can’t be turned off.":
      "Vous recevez cet e-mail chaque fois que la connexion en deux étapes change. Il ne peut pas être désactivé.",
    "Two-step sign-in turned on": "Connexion en deux étapes activée",
    "Two-step sign-in turned off": "Connexion en deux étapes désactivée",
    "Recovery code used": "Code de secours utilisé",
    "Second step closed for a day after too many wrong codes":
      "Deuxième étape fermée pour un jour après trop de codes faux",
    "A link works once, and not for long.": "Un lien fonctionne une fois, et pas longtemps.",
    "A link works once, for {time}.": "Un lien fonctionne une fois, pendant {time}.",
    "A name has at most 256 characters, and no control characters.":
      "Un nom a 256 caractères au plus, sans caractères de contrôle.",
    "A code was used a second time and refused":
      "Un code a été utilisé une seconde fois et a été refusé",
    "A passkey was refused because it may have been copied":
      "Une clé d’accès a été refusée, car elle a pu être copiée",
    "A profile picture URL begins with https:// and has at most 2,048 characters.":
      "L’adresse d’une photo de profil commence par https:// et a 2 048 caractères au plus.",
    "Account connected": "Compte connecté",
    "Account created": "Compte créé",
    "Account created with {provider}": "Compte créé avec {provider}",
    "Account disconnected": "Compte déconnecté",
    "Add a passkey": "Ajouter une clé d’accès",
    "Add an email address to your account before you set a password":
      "Ajoutez une adresse e-mail à votre compte avant de choisir un mot de passe",
    "Added {date}": "Ajoutée le {date}",
    "Afterwards you set a new password, or sign in by email.":
      "Ensuite, choisissez un nouveau mot de passe ou connectez-vous par e-mail.",
    "All sessions and memberships": "Toutes les sessions et les appartenances",
    "Already have an account?": "Vous avez déjà un compte ?",
    "An account with these details already exists.": "Un compte avec ces informations existe déjà.",
    "An account with this address already exists. Sign in the way you did before, then link this one.":
      "Un compte avec cette adresse existe déjà. Connectez-vous comme avant, puis reliez celui-ci.",
    "At least {n} characters. Three or four words in a row make a good one.":
      "Au moins {n} caractères. Trois ou quatre mots à la suite conviennent bien.",
    "Back to sign in": "Retour à la connexion",
    "Both work once, for {time}. We will never ask you for this code on the phone or in a chat.":
      "Les deux fonctionnent une fois, pendant {time}. Nous ne vous demanderons jamais ce code au téléphone ni dans une discussion.",
    "Browser": "Navigateur",
    "Button doesn’t work? Copy this address into your browser: {address}":
      "Le bouton ne fonctionne pas ? Copiez cette adresse dans votre navigateur : {address}",
    "By creating an account you agree to the {terms} and the {privacy}.":
      "En créant un compte, vous acceptez les {terms} et la {privacy}.",
    "By creating an account you agree to the {terms}.":
      "En créant un compte, vous acceptez les {terms}.",
    "Cancel": "Annuler",
    "Change": "Modifier",
    "Change email address": "Modifier l’adresse e-mail",
    "Change password": "Modifier le mot de passe",
    "Change your email address?": "Modifier votre adresse e-mail ?",
    "Changed {date}": "Modifié le {date}",
    "Check your devices": "Vérifier vos appareils",
    "Check your email": "Consultez vos e-mails",
    "Choose a new password": "Choisir un nouveau mot de passe",
    "Confirm it’s you": "Confirmez que c’est vous",
    "Confirm this address": "Confirmer cette adresse",
    "Confirm your email address": "Confirmez votre adresse e-mail",
    "Confirm your email address?": "Confirmer votre adresse e-mail ?",
    "Confirm your new email address": "Confirmez votre nouvelle adresse e-mail",
    "Confirmed {date}": "Confirmée le {date}",
    "Connect": "Connecter",
    "Connected accounts": "Comptes connectés",
    "Connected {date}": "Connecté le {date}",
    "Connected {provider}": "{provider} connecté",
    "Connected: {names}": "Connectés : {names}",
    "Continue": "Continuer",
    "Continue with a passkey": "Continuer avec une clé d’accès",
    "Continue with {provider}": "Continuer avec {provider}",
    "Create a passkey": "Créer une clé d’accès",
    "Create account": "Créer le compte",
    "Create an account": "Créer un compte",
    "Create an account with a passkey": "Créer un compte avec une clé d’accès",
    "Create your account": "Créez votre compte",
    "Create your account?": "Créer votre compte ?",
    "Current password": "Mot de passe actuel",
    "Delete account": "Supprimer le compte",
    "Delete your account": "Supprimer votre compte",
    "Delete your account?": "Supprimer votre compte ?",
    "Details for support": "Détails pour l’assistance",
    "Devices": "Appareils",
    "Didn’t ask for this? Close this page. Nothing happens until you press the button.":
      "Vous n’avez rien demandé ? Fermez cette page. Rien ne se passe avant que vous n’appuyiez sur le bouton.",
    "Didn’t ask? You can ignore this email; nobody gets in without it.":
      "Vous n’avez rien demandé ? Ignorez cet e-mail ; personne n’entre sans lui.",
    "Didn’t ask? You can ignore this email; nothing changes without it.":
      "Vous n’avez rien demandé ? Ignorez cet e-mail ; rien ne change sans lui.",
    "Didn’t ask? You can ignore this email; your password stays as it is.":
      "Vous n’avez rien demandé ? Ignorez cet e-mail ; votre mot de passe reste le même.",
    "Didn’t create an account? You can ignore this email; nothing happens without the link.":
      "Vous n’avez pas créé de compte ? Ignorez cet e-mail ; rien ne se passe sans le lien.",
    "Disconnect": "Déconnecter",
    "Disconnected {provider}": "{provider} déconnecté",
    "Download": "Télécharger",
    "Download your data": "Télécharger vos données",
    "Email": "E-mail",
    "Email address": "Adresse e-mail",
    "Email address changed": "Adresse e-mail modifiée",
    "Email address confirmed": "Adresse e-mail confirmée",
    "Sign in by email instead": "Se connecter plutôt par e-mail",
    "Enter a whole email address, such as ada@example.com.":
      "Saisissez une adresse e-mail complète, comme ada@example.com.",
    "Enter your email address. We’ll send you a link to choose a new one.":
      "Saisissez votre adresse e-mail. Nous vous enverrons un lien pour choisir un nouveau mot de passe.",
    "Enter your name.": "Saisissez votre nom.",
    "Enter your password": "Saisissez votre mot de passe",
    "Error": "Erreur",
    "Error:": "Erreur :",
    "Fill in every required field and try again.":
      "Remplissez tous les champs obligatoires et réessayez.",
    "Forgot password?": "Mot de passe oublié ?",
    "Forgot your password?": "Mot de passe oublié ?",
    "Forgot your password? Choose a new one: {address}":
      "Mot de passe oublié ? Choisissez-en un nouveau : {address}",
    "Go to the start page": "Aller à la page d’accueil",
    "Go to your account": "Aller à votre compte",
    "Go to {app}": "Aller à {app}",
    "Help": "Aide",
    "Hide": "Masquer",
    "Hide password": "Masquer le mot de passe",
    "If the address can sign in here, we have sent a link to it.":
      "Si cette adresse peut se connecter ici, nous lui avons envoyé un lien.",
    "If {address} has an account, a link to choose a new password is on its way. It works for {time}.":
      "Si {address} a un compte, un lien pour choisir un nouveau mot de passe est en route. Il fonctionne pendant {time}.",
    "It works once, for {time}.": "Il fonctionne une fois, pendant {time}.",
    "Keep it": "Le garder",
    "Last seen {date}": "Vu le {date}",
    "Last used": "Dernier utilisé",
    "Last used {date}": "Utilisée le {date}",
    "More than one thing to put right": "Plusieurs choses à corriger",
    "Name": "Nom",
    "Name of the new passkey": "Nom de la nouvelle clé d’accès",
    "New email address": "Nouvelle adresse e-mail",
    "New here?": "Nouveau ici ?",
    "New password": "Nouveau mot de passe",
    "New sign-in to your account": "Nouvelle connexion à votre compte",
    "New to {app}?": "Nouveau sur {app} ?",
    "No passkeys yet.": "Pas encore de clés d’accès.",
    "No password yet.": "Aucun mot de passe pour l’instant.",
    "No way to sign in has been set up yet.": "Aucun moyen de connexion n’est encore configuré.",
    "Nobody has confirmed this address on its account yet. Whatever was set up there before, such as a password, ends when you sign in.":
      "Personne n’a encore confirmé cette adresse sur son compte. Ce qui y a été mis en place avant, comme un mot de passe, prend fin à votre connexion.",
    "Not confirmed": "Non confirmée",
    "Not connected": "Non connecté",
    "Not found": "Introuvable",
    "Not you? Change how you sign in now.":
      "Ce n’était pas vous ? Changez dès maintenant votre façon de vous connecter.",
    "Not you? Choose a new password now.":
      "Ce n’était pas vous ? Choisissez tout de suite un nouveau mot de passe.",
    "Not you? Sign it out, then change how you sign in.":
      "Ce n’était pas vous ? Déconnectez l’appareil, puis changez votre façon de vous connecter.",
    "Not you? Sign out everywhere else, then change how you sign in.":
      "Ce n’était pas vous ? Déconnectez-vous partout ailleurs, puis changez votre façon de vous connecter.",
    "Nothing after a minute? Look in your spam folder, or {again}.":
      "Rien après une minute ? Regardez dans les indésirables, ou {again}.",
    "On a shared computer? Close the browser window too.":
      "Sur un ordinateur partagé ? Fermez aussi la fenêtre du navigateur.",
    "On this page": "Sur cette page",
    "One JSON file with everything we hold about you.":
      "Un fichier JSON avec tout ce que nous détenons sur vous.",
    "One step to your account.": "Plus qu’une étape avant votre compte.",
    "One step to your {app} account.": "Plus qu’une étape avant votre compte {app}.",
    "Open the link in the browser in which you asked for it.":
      "Ouvrez le lien dans le navigateur où vous l’avez demandé.",
    "Open {mailbox}": "Ouvrir {mailbox}",
    "Or enter this code:": "Ou saisissez ce code :",
    "Or press the button in this email.": "Ou appuyez sur le bouton de cet e-mail.",
    "Other browsers and phones have to use the new password.":
      "Les autres navigateurs et téléphones devront utiliser le nouveau mot de passe.",
    "Other ways to sign in.": "D’autres moyens de se connecter.",
    "Passkey": "Clé d’accès",
    "Passkey added": "Clé d’accès ajoutée",
    "Passkey name": "Nom de la clé d’accès",
    "Passkey removed": "Clé d’accès retirée",
    "Passkeys": "Clés d’accès",
    "Passkeys do not work at this address.":
      "Les clés d’accès ne fonctionnent pas à cette adresse.",
    "Passkeys need a newer browser with JavaScript turned on.":
      "Les clés d’accès demandent un navigateur plus récent avec JavaScript.",
    "Passkeys that still sign in to your account: {n}.":
      "Clés d’accès qui permettent encore de se connecter : {n}.",
    "Passkeys: {n}": "Clés d’accès : {n}",
    "Password": "Mot de passe",
    "Password changed": "Mot de passe modifié",
    "Press the button in the browser you started in:":
      "Appuyez sur le bouton dans le navigateur où vous avez commencé :",
    "Open this link in the browser you started in:":
      "Ouvrez ce lien dans le navigateur où vous avez commencé :",
    "Press the button to choose a new password:":
      "Appuyez sur le bouton pour choisir un nouveau mot de passe :",
    "Open this link to choose a new password:":
      "Ouvrez ce lien pour choisir un nouveau mot de passe :",
    "Press the button to confirm that this address is yours:":
      "Appuyez sur le bouton pour confirmer que cette adresse est la vôtre :",
    "Open this link to confirm that this address is yours:":
      "Ouvrez ce lien pour confirmer que cette adresse est la vôtre :",
    "Privacy": "Confidentialité",
    "Privacy Policy": "politique de confidentialité",
    "Profile": "Profil",
    "Profile picture URL": "Adresse de la photo de profil",
    "Shown in the application. This page loads nothing from other sites.":
      "Affichée dans l’application. Cette page ne charge rien d’autres sites.",
    "Recent activity": "Activité récente",
    "Reference": "Référence",
    "Remove": "Retirer",
    "Remove those that you don’t know: {account}":
      "Supprimez celles que vous ne connaissez pas : {account}",
    "Rename": "Renommer",
    "Save": "Enregistrer",
    "Save and sign in": "Enregistrer et se connecter",
    "Send a confirmation": "Envoyer une confirmation",
    "Send a new link": "Envoyer un nouveau lien",
    "Send application/x-www-form-urlencoded or application/json":
      "Ce format de requête n’est pas accepté",
    "Send the link": "Envoyer le lien",
    "Sent again.": "Renvoyé.",
    "Sent again. Only the newest code works.": "Renvoyé. Seul le code le plus récent fonctionne.",
    "Set a password": "Définir un mot de passe",
    "Show": "Afficher",
    "Show more": "En afficher plus",
    "Show password": "Afficher le mot de passe",
    "Sign in": "Se connecter",
    "Sign in again": "Se reconnecter",
    "Sign in again to continue.": "Reconnectez-vous pour continuer.",
    "Sign in another way": "Se connecter autrement",
    "Sign in first": "Connectez-vous d’abord",
    "Sign in to continue.": "Connectez-vous pour continuer.",
    "Sign in to {app}": "Se connecter à {app}",
    "Sign in to {app}?": "Se connecter à {app} ?",
    "Sign in with your fingerprint, face or screen lock. Keep two, so that a lost device doesn’t lock you out.":
      "Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran. Gardez-en deux, pour qu’un appareil perdu ne vous bloque pas.",
    "Sign in, or choose a new password.": "Connectez-vous, ou choisissez un nouveau mot de passe.",
    "Sign in?": "Se connecter ?",
    "Sign out": "Se déconnecter",
    "Sign out everywhere else": "Se déconnecter partout ailleurs",
    "Sign out of {app}?": "Se déconnecter de {app} ?",
    "Sign out?": "Se déconnecter ?",
    "Sign-in didn’t finish": "La connexion n’a pas abouti",
    "Signed in": "Connecté",
    "Signed in with {provider}": "Connecté avec {provider}",
    "Account created by an invitation": "Compte créé par une invitation",
    "Signed in by an invitation": "Connecté par une invitation",
    "Signed in {date}": "Connecté le {date}",
    "Signed out": "Déconnecté",
    "Signed out elsewhere": "Déconnecté ailleurs",
    "Signing in…": "Connexion en cours…",
    "Six-digit code": "Code à six chiffres",
    "Skip to content": "Aller au contenu",
    "Somebody, probably you, wanted to create an account with this address. It has one:":
      "Quelqu’un, sans doute vous, a voulu créer un compte avec cette adresse. Elle en a déjà un :",
    "Someone signed in as {address} in a browser we haven’t seen before.":
      "Quelqu’un s’est connecté en tant que {address} dans un navigateur que nous ne connaissions pas.",
    "Something here that wasn’t you? {devices}, then change how you sign in.":
      "Quelque chose ici n’était pas vous ? {devices}, puis changez votre façon de vous connecter.",
    "Something went wrong": "Une erreur s’est produite",
    "Something went wrong on our side. Try again in a moment.":
      "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
    "Something went wrong.": "Une erreur s’est produite.",
    "Something went wrong. Try again in a moment.":
      "Une erreur s’est produite. Réessayez dans un instant.",
    "Start page": "Page d’accueil",
    "Stay signed in": "Rester connecté",
    "Terms": "Conditions",
    "That code doesn’t match. Only the newest one works.":
      "Ce code ne correspond pas. Seul le plus récent fonctionne.",
    "That device is signed out.": "Cet appareil est déconnecté.",
    "That email or password is wrong.": "Cet e-mail ou ce mot de passe est incorrect.",
    "That password is wrong.": "Ce mot de passe est incorrect.",
    "That took too long. Try again.": "Cela a pris trop de temps. Réessayez.",
    "That was cancelled, or took too long. Try again.":
      "Cela a été annulé ou a pris trop de temps. Réessayez.",
    "That’s {n} characters. Use at least {min}.":
      "Cela fait {n} caractères. Utilisez-en au moins {min}.",
    "The account is connected.": "Le compte est connecté.",
    "The account is disconnected.": "Le compte est déconnecté.",
    "The email address of your account is {address}.":
      "L’adresse e-mail de votre compte est {address}.",
    "The new email address of your account will be {address}.":
      "La nouvelle adresse e-mail de votre compte sera {address}.",
    "The other site could not sign you in. Try again in a moment.":
      "L’autre site n’a pas pu vous connecter. Réessayez dans un instant.",
    "The passkey is added.": "La clé d’accès est ajoutée.",
    "A passkey was added to your account": "Une clé d’accès a été ajoutée à votre compte",
    "A passkey was removed from your account": "Une clé d’accès a été retirée du compte",
    "After a sign-in with your password, the password manager of that browser has made a passkey. It signs in to your account from now on.":
      "Après une connexion avec votre mot de passe, le gestionnaire de mots de passe de ce navigateur a créé une clé d’accès. Elle permet désormais de se connecter à votre compte.",
    "It no longer signs in to your account. If it wasn’t you who signed in, somebody knows your password: choose a new one.":
      "Elle ne permet plus de se connecter à votre compte. Si ce n’était pas vous, quelqu’un connaît votre mot de passe : choisissez-en un nouveau.",
    "Not you? Remove the passkey, then choose a new password.":
      "Ce n’était pas vous ? Retirez la clé d’accès, puis choisissez un nouveau mot de passe.",
    "Passkeys added since you last chose a password. Sign in afterwards to remove those that you don’t know.":
      "Clés d’accès ajoutées depuis votre dernier choix de mot de passe. Connectez-vous ensuite pour retirer celles que vous ne connaissez pas.",
    "Passkeys added since you last chose a password. Tick those that you don’t know, and they are removed.":
      "Clés d’accès ajoutées depuis votre dernier choix de mot de passe. Cochez celles que vous ne connaissez pas, elles seront retirées.",
    "Remove this passkey": "Retirer cette clé d’accès",
    "Remove this passkey?": "Retirer cette clé d’accès ?",
    "The passkey has been removed already, or the link is older than a week.":
      "La clé d’accès a déjà été retirée, ou le lien a plus d’une semaine.",
    "Use a passkey next time": "Utiliser une clé d’accès la prochaine fois",
    "You get this email whenever a passkey is added or removed. It can’t be turned off.":
      "Vous recevez cet e-mail quand une clé d’accès est ajoutée ou supprimée. Il ne peut pas être désactivé.",
    "You get this email whenever a passkey is added by itself. It can’t be turned off.":
      "Vous recevez cet e-mail quand une clé d’accès est ajoutée d’elle-même. Il ne peut pas être désactivé.",
    "Your fingerprint, face or screen lock takes the place of the password. It takes a moment.":
      "Votre empreinte, votre visage ou le verrouillage de l’écran remplacent le mot de passe. Cela ne prend qu’un instant.",
    "{name}, added on {date}, will no longer sign in to your account.":
      "{name}, ajoutée le {date}, ne permettra plus de se connecter à votre compte.",
    "The passkey is removed.": "La clé d’accès est retirée.",
    "The password": "Le mot de passe",
    "The password you just chose": "Le mot de passe que vous venez de choisir",
    "The request is too large": "La requête est trop volumineuse",
    "The session does not fit into cookies": "La session ne tient pas dans les cookies",
    "The sign-in was cancelled.": "La connexion a été annulée.",
    "There have been too many attempts to sign in to this account. Set a new password.":
      "Il y a eu trop de tentatives de connexion à ce compte. Choisissez un nouveau mot de passe.",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email, or set a new password.":
      "Il y a eu trop de tentatives de connexion à ce compte. Connectez-vous par un lien envoyé par e-mail, ou choisissez un nouveau mot de passe.",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email.":
      "Il y a eu trop de tentatives de connexion à ce compte. Connectez-vous par un lien envoyé par e-mail.",
    "There have been too many attempts. Try again in a minute.":
      "Il y a eu trop de tentatives. Réessayez dans une minute.",
    "There have been too many attempts. Try again in {minutes} minutes.":
      "Il y a eu trop de tentatives. Réessayez dans {minutes} minutes.",
    "There have been too many attempts. Try again later.":
      "Il y a eu trop de tentatives. Réessayez plus tard.",
    "There is no email address yet.": "Il n’y a pas encore d’adresse e-mail.",
    "There is no recent activity.": "Il n’y a pas d’activité récente.",
    "There is no such tenant": "Cette organisation n’existe pas",
    "There is nothing at this address": "Il n’y a rien à cette adresse",
    "This account already belongs to another user.":
      "Ce compte appartient déjà à quelqu’un d’autre.",
    "This account cannot sign in.": "Ce compte ne peut pas se connecter.",
    "This account does not exist": "Ce compte n’existe pas",
    "This account was set up before anybody confirmed this address, perhaps not by you. What is on it ends when you go on:":
      "Ce compte a été créé avant que quelqu’un ait confirmé cette adresse, peut-être pas par vous. Ce qui s’y trouve prend fin si vous continuez :",
    "This address does not answer that method": "Cette adresse ne répond pas à ce type de requête",
    "This address is confirmed. Now open the link that we sent to your other address.":
      "Cette adresse est confirmée. Ouvrez maintenant le lien envoyé à votre autre adresse.",
    "This browser": "Ce navigateur",
    "This cannot be undone.": "C’est irréversible.",
    "This cannot be undone: it deletes the account of {address} and signs you out everywhere. You lose with it:":
      "C’est irréversible : le compte de {address} est supprimé et vous êtes déconnecté partout. Vous perdez avec lui :",
    "Memberships of teams": "Appartenances à des équipes",
    "Your account is deleted.": "Votre compte est supprimé.",
    "That was cancelled, took too long, or this device has no passkey that is known here. Try again.":
      "L’opération a été annulée, a pris trop de temps, ou cet appareil n’a pas de clé d’accès connue ici. Réessayez.",
    "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.":
      "Cet appareil ne peut pas vérifier que c’est vous. Configurez-y un code, une empreinte ou un visage, ou utilisez-en un autre.",
    "This device cannot make a passkey that works here. Use another one.":
      "Cet appareil ne peut pas créer de clé d’accès valable ici. Utilisez-en un autre.",
    "We could not be reached. Check your connection and try again.":
      "Nous sommes injoignables. Vérifiez votre connexion et réessayez.",
    "This device already has a passkey for this account.":
      "Cet appareil a déjà une clé d’accès pour ce compte.",
    "This did not work": "Cela n’a pas fonctionné",
    "This is not a valid tenant": "Cette organisation n’est pas valide",
    "This is your only way to sign in. Add another one first.":
      "C’est votre seul moyen de vous connecter. Ajoutez-en d’abord un autre.",
    "This link no longer works": "Ce lien ne fonctionne plus",
    "This API key is wrong or has ended. Make a new one, and send it whole.":
      "Cette clé d’API est fausse ou a expiré. Créez-en une nouvelle et envoyez-la en entier.",
    "This invitation no longer works. Ask for a new one.":
      "Cette invitation n’est plus valable. Demandez-en une nouvelle.",
    "This link no longer works. Ask for a new one.":
      "Ce lien ne fonctionne plus. Demandez-en un nouveau.",
    "This link was not requested in this browser. Go on only if you asked for it.":
      "Ce lien n’a pas été demandé dans ce navigateur. Ne continuez que si vous l’avez demandé.",
    "This link was not requested in this browser. If you did not choose the password yourself, choose a new one.":
      "Ce lien n’a pas été demandé dans ce navigateur. Si vous n’avez pas choisi le mot de passe vous-même, choisissez-en un nouveau.",
    "This account has changed meanwhile": "Ce compte a changé entre-temps",
    "This name is already taken": "Ce nom est déjà pris",
    "This passkey could not be added. Try again.":
      "Cette clé d’accès n’a pas pu être ajoutée. Réessayez.",
    "This passkey does not exist": "Cette clé d’accès n’existe pas",
    "This passkey does not work here. Try another one.":
      "Cette clé d’accès ne fonctionne pas ici. Essayez-en une autre.",
    "This password cannot be used": "Ce mot de passe ne peut pas être utilisé",
    "This password is on a list of leaked passwords. Choose another.":
      "Ce mot de passe figure sur une liste de mots de passe divulgués. Choisissez-en un autre.",
    "This password is too common. Choose another one.":
      "Ce mot de passe est trop courant. Choisissez-en un autre.",
    "This password is too common. Choose another.":
      "Ce mot de passe est trop courant. Choisissez-en un autre.",
    "This password is too long or contains invalid characters":
      "Ce mot de passe est trop long ou contient des caractères non valides",
    "This password is too long or contains invalid characters.":
      "Ce mot de passe est trop long ou contient des caractères non valides.",
    "This request came from another site and was refused.":
      "Cette demande venait d’un autre site et a été refusée.",
    "This server does not answer for that host": "Ce serveur ne répond pas pour cet hôte",
    "This session does not exist": "Cette session n’existe pas",
    "This sign-in took too long or began elsewhere. Start again.":
      "Cette connexion a pris trop de temps ou a commencé ailleurs. Recommencez.",
    "To change how you sign in, {signIn}.": "Pour changer votre façon de vous connecter, {signIn}.",
    "Too many tries": "Trop de tentatives",
    "Try again": "Réessayer",
    "Try again in a moment": "Réessayez dans un instant",
    "Use a different address": "Utiliser une autre adresse",
    "Use another account": "Utiliser un autre compte",
    "Use at least {n} characters": "Utilisez au moins {n} caractères",
    "Was it you? Then there is nothing to do.": "C’était vous ? Alors il n’y a rien à faire.",
    "Wasn’t you? Don’t confirm it, and change how you sign in: somebody is in your account.":
      "Ce n’était pas vous ? Ne confirmez rien et changez votre façon de vous connecter : quelqu’un est dans votre compte.",
    "Wasn’t you? You can ignore this email; nothing has changed.":
      "Ce n’était pas vous ? Ignorez cet e-mail ; rien n’a changé.",
    "Wasn’t you? {choose} to be sure.": "Ce n’était pas vous ? {choose} par sécurité.",
    "We are busy right now. Try again in a moment.":
      "Nous sommes très sollicités. Réessayez dans un instant.",
    "We cannot do this right now. Try again in a moment.":
      "C’est impossible pour le moment. Réessayez dans un instant.",
    "We could not send the email. Try again in a moment.":
      "Nous n’avons pas pu envoyer l’e-mail. Réessayez dans un instant.",
    "We sent a code and a link to {address}. Enter the code here, or open the link in this browser.":
      "Nous avons envoyé un code et un lien à {address}. Saisissez le code ici, ou ouvrez le lien dans ce navigateur.",
    "We sent a link to both addresses. Open both to change your address.":
      "Nous avons envoyé un lien aux deux adresses. Ouvrez les deux pour modifier votre adresse.",
    "We sent a link to {address}. Open it in this browser.":
      "Nous avons envoyé un lien à {address}. Ouvrez-le dans ce navigateur.",
    "We sent you a link. Open it in this browser to confirm your address.":
      "Nous vous avons envoyé un lien. Ouvrez-le dans ce navigateur pour confirmer votre adresse.",
    "We’ll email you a link. No password needed.":
      "Nous vous enverrons un lien. Sans mot de passe.",
    "What was on your account before no longer works, the old password too. Sign in by email, or set a new password.":
      "Ce qui se trouvait dans votre compte ne fonctionne plus, l’ancien mot de passe non plus. Connectez-vous par e-mail, ou choisissez un nouveau mot de passe.",
    "When": "Quand",
    "Where": "Où",
    "Where you are signed in now.": "Où vous êtes connecté en ce moment.",
    "You are not allowed to do this.": "Vous n’avez pas le droit de faire cela.",
    "You are not allowed to sign in.": "Vous n’avez pas le droit de vous connecter.",
    "You can try again in {time}, at {at}.": "Vous pourrez réessayer dans {time}, à {at}.",
    "You can try again in {time}.": "Vous pourrez réessayer dans {time}.",
    "You don’t have access to this": "Vous n’avez pas accès à cette page",
    "You get this email whenever your account is used in a new browser. It can’t be turned off.":
      "Vous recevez cet e-mail quand votre compte est utilisé dans un nouveau navigateur. Il ne peut pas être désactivé.",
    "You get this email whenever your password changes. It can’t be turned off.":
      "Vous recevez cet e-mail quand votre mot de passe change. Il ne peut pas être désactivé.",
    "You have an account already": "Vous avez déjà un compte",
    "You opened a link to create an account for {address}.":
      "Vous avez ouvert un lien pour créer un compte pour {address}.",
    "You opened a sign-in link for {address}.":
      "Vous avez ouvert un lien de connexion pour {address}.",
    "Your account": "Votre compte",
    "Your address is changed.": "Votre adresse est modifiée.",
    "Your address is confirmed.": "Votre adresse est confirmée.",
    "Your changes are saved.": "Vos modifications sont enregistrées.",
    "Your password is changed. You are signed out everywhere else.":
      "Votre mot de passe est modifié. Vous êtes déconnecté partout ailleurs.",
    "Your data": "Vos données",
    "Your email address": "Votre adresse e-mail",
    "Your name": "Votre nom",
    "Your password has changed": "Votre mot de passe a changé",
    "Your session ended. Sign in to go on.":
      "Votre session a pris fin. Connectez-vous pour continuer.",
    "You’re signed in as {address}.": "Vous êtes connecté en tant que {address}.",
    "You’re signed out": "Vous êtes déconnecté",
    "ask for another one": "demandez-en un autre",
    "or": "ou",
    "send it again": "renvoyez-le",
    "sign in again": "reconnectez-vous",
    "{browser} on {system}": "{browser} sur {system}",
    "{code} is your code": "{code} est votre code",
    "You’re signed out everywhere. Sign in with the new password.":
      "Vous êtes déconnecté partout. Connectez-vous avec le nouveau mot de passe.",
    "{code} is your {app} code": "{code} est votre code {app}",
  },
};
