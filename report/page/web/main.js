document.title += " ok";
